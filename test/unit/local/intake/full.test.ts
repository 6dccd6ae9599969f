import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBatcher } from '#functions/event-forwarder/batcher.ts';
import { SendBuffer } from '#functions/event-forwarder/send-buffer.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { sendLater } from '#local/intake/messages.ts';
import { httpSender, trustLocalSender } from '#local/stack/local-senders.ts';
import { pollOnce } from '#local/stack/poller.ts';
import { KEPT_LETTERS, openQueues, WAITING_EVENTS } from '#local/stack/queues.ts';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { RETRIED } from '#shared/adapters/http/messages.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { at } from '#shared/core/json.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { type ServedIntake, serveIntake } from './served.ts';

const ALL = { max: 10, waitSeconds: 0 };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-full-'));
  file = join(folder, 'state.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An intake before a queue, as the stack has it. */
function serve(queue: SqliteMessageQueue): Promise<ServedIntake> {
  return serveIntake({
    take: (source, bodies) => {
      const group = sourceGroup(source);
      return queue.sendAs(
        httpSender(source),
        bodies.map((body) => ({ body, group })),
      );
    },
  });
}

async function post({ url }: ServedIntake, source: string, bodies: readonly string[]) {
  return fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(source)}` },
    body: JSON.stringify({ messages: bodies }),
  });
}

/** Posts as much at once as a request may have, until it is not taken; how many were. */
async function flood(intake: ServedIntake, source: string): Promise<number> {
  const most = Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024));
  for (let taken = 0; taken < 9; taken += 1)
    if ((await post(intake, source, most)).status !== 202) return taken;
  throw new Error('whatever it sends is taken');
}

describe('a token that sends more than is recorded', () => {
  it('is asked to retry, with the reason, the backlog and the remedy; other senders are not', async () => {
    const database = openSqliteDatabase(file);
    const { events } = openQueues(database);
    await using intake = await serve(events);
    expect(await flood(intake, 'wec/a')).toBe(3);
    const answer = await post(intake, 'wec/a', [
      'x'.repeat(1024 * 1024),
      'y'.repeat(1024 * 1024),
      'z',
    ]);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.text()).toBe(
      `${sendLater('wec/a has 30 messages (30.0 MiB) that wait, of 10000 (32.0 MiB) that may')}\n`,
    );
    expect(await flood(intake, 'wec/b')).toBe(3);
    expect((await post(intake, 'wec/*', ['x'])).status).toBe(202);
    expect(intake.errors).toEqual([]);
    database.close();
  });

  it('has no more room after a restart, until some of it has been dealt with', async () => {
    let database = openSqliteDatabase(file);
    let intake = await serve(openQueues(database).events);
    await flood(intake, 'wec/a');
    await intake[Symbol.asyncDispose]();
    database.close();
    database = openSqliteDatabase(file);
    const { events } = openQueues(database);
    intake = await serve(events);
    expect(await flood(intake, 'wec/a')).toBe(0);
    for (let count = 0; count < 10; count += 1) {
      const [message] = await events.receive(ALL);
      await events.delete([message?.receiptHandle ?? '']);
    }
    expect(await flood(intake, 'wec/a')).toBe(1);
    await intake[Symbol.asyncDispose]();
    database.close();
  });

  it('leaves as many letters as are kept of a source, and the count of the others', async () => {
    const database = openSqliteDatabase(file);
    const queues = openQueues(database);
    const store = createMemoryItemStore();
    const handler = createRecordEvents(
      {
        ...{ store, specs: createSpecStore(store), telemetry: createMemoryTelemetry() },
        ...{ dirty: new SentMessages(), hints: new SentMessages() },
        ...{ senders: trustLocalSender, deadLetters: queues['events-dlq'], clock: Date.now },
      },
      createObservedOutput().observability,
    );
    const unreadable = (count: number) => Array.from({ length: count }, () => '[');
    await using intake = await serve(queues.events);
    for (let sent = 0; sent < KEPT_LETTERS.messages + 30; sent += 10)
      await post(intake, 'wec/a', unreadable(10));
    await post(intake, 'wec/b', unreadable(1));
    const options = { name: 'events', queue: queues.events, handler, retrySeconds: () => 0 };
    const onError = (error: unknown) => expect(error).toBeUndefined();
    while (await pollOnce({ ...options, onError }, 0));
    const { visible } = await queues['events-dlq'].counts();
    expect(visible).toBe(KEPT_LETTERS.messages + 1);
    expect(await queues['events-dlq'].leftOut()).toEqual(new Map([['wec/a', 30]]));
    expect(await queues.events.counts()).toMatchObject({ visible: 0, inFlight: 0 });
    database.close();
  });
});

it('a request of the largest messages has room if nothing waits', () => {
  expect(WAITING_EVENTS.bytes).toBeGreaterThan(10 * 1024 * 1024);
});

describe('a forwarder whose token is full', () => {
  const SOURCE = { type: 'wec', name: 'a' } as const;
  const OBJECTS = 60;
  const content = (name: string, version: number) => {
    const spec = { version, text: `${name} ${version} `.repeat(3_000) };
    return {
      ...({ type: 'wec-object', wds: 'wds', first: true } as const),
      subject: { group: 'apps', resource: 'deployments', namespace: 'shop', name },
      returned: { uid: name, generation: 1, spec },
    };
  };

  /** The newest version of each object, as far as it has come through, and where the end of the snapshot came. */
  class Recorded {
    readonly objects = new Map<string, number>();
    snapshotAfter = 0;

    add({ content: said }: ForwarderEvent): void {
      if (said.type === 'snapshot') this.snapshotAfter = this.objects.size;
      if (said.type !== 'wec-object') return;
      const version = Number(at(said.returned?.spec, 'version'));
      const known = this.objects.get(said.subject.name) ?? 0;
      this.objects.set(said.subject.name, Math.max(known, version));
    }
  }

  it('tries until all is taken, ever more rarely, and loses nothing; what waits stays within its bound', async () => {
    const database = openSqliteDatabase(file);
    const accepts = { messages: 12, bytes: 900_000 };
    const queue = createSqliteMessageQueue(database, {
      ...{ name: 'events', fifo: false, visibilityTimeoutSeconds: 60, maxReceiveCount: 9 },
      ...{ clock: Date.now, accepts },
    });
    await using intake = await serve(queue);
    const sendBuffer = new SendBuffer({ epoch: 1, clock: Date.now });
    const put = (version: number): void => {
      for (let index = 0; index < OBJECTS; index += 1) {
        const key = `web${index}`;
        sendBuffer.putObject(SOURCE, { key, isNew: version === 1 }, content(key, version));
      }
    };
    const recorded = new Recorded();
    const [waits, failures, most]: [number[], unknown[], number[]] = [[], [], []];
    const drain = async (): Promise<number> => {
      const { visible } = await queue.counts();
      most.push(visible);
      const messages = await queue.receive({ max: 1, waitSeconds: 0 });
      for (const { body } of messages)
        for (const event of decodeBatch(body, Date.now()).events) recorded.add(event);
      await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
      return messages.length;
    };
    put(1);
    sendBuffer.putSnapshot(SOURCE, sendBuffer.version);
    await runBatcher(
      {
        ...{
          group: 'wec/a',
          windowMs: 0,
          random: () => 0.5,
          clock: Date.now,
          isLeading: () => true,
        },
        queue: createHttpEventQueue({ url: intake.url, tokenFile: intake.tokenFile('wec/a') }),
        sleep: async (ms) => {
          waits.push(ms);
          // While it waits, some of it is recorded, and the objects change.
          if (waits.length === 2) put(2);
          if (waits.length > 3) sendBuffer.close();
          await drain();
        },
        onTooLarge: () => expect.unreachable(),
        onFailure: (error) => failures.push(error),
        onSent: () => undefined,
      },
      sendBuffer,
      new AbortController().signal,
    );
    while ((await drain()) > 0);
    expect(failures.length).toBeGreaterThan(3);
    expect(String(failures[0])).toMatch(
      new RegExp(`503 \\(wec/a has \\d+ messages .*\\): ${RETRIED}`),
    );
    expect(waits.slice(0, 3)).toEqual([187.5, 375, 750]);
    expect(recorded.objects.size).toBe(OBJECTS);
    expect(new Set(recorded.objects.values())).toEqual(new Set([2]));
    expect(recorded.snapshotAfter).toBe(OBJECTS);
    expect(Math.max(...most)).toBeLessThanOrEqual(accepts.messages);
    database.close();
  });
});
