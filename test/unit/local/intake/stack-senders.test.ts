import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { notRegistered } from '#functions/record-events/messages.ts';
import { httpSender, trustLocalSender } from '#local/stack/local-senders.ts';
import { pollOnce } from '#local/stack/poller.ts';
import { openQueues } from '#local/stack/queues.ts';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeRedriven } from '#shared/messages/redriven.ts';
import { readHeartbeats } from '#shared/state/heartbeats.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { type ServedIntake, serveIntake } from './served.ts';

/** A message with a heartbeat of each of these WECs. */
function heartbeats(...wecs: readonly string[]): { readonly body: string } {
  return {
    body: encodeBatch(
      wecs.map((name) =>
        encodeEvent({
          source: { type: 'wec', name },
          version: { epoch: 1, sequence: 1 },
          time: '2026-01-01T00:00:00Z',
          content: { type: 'heartbeat' },
        }),
      ),
    ),
  };
}

/** Queues and store in a file, with what records the events that come to an intake. */
async function openReceiver(file: string, port = 0) {
  const database = openSqliteDatabase(file);
  const queues = openQueues(database);
  const store = createSqliteItemStore(database);
  const output = createObservedOutput();
  const handler = createRecordEvents(
    {
      store,
      specs: createSpecStore(store),
      dirty: queues.dirty,
      hints: queues.hints,
      deadLetters: queues['events-dlq'],
      senders: trustLocalSender,
      telemetry: createMemoryTelemetry(),
      clock: Date.now,
    },
    output.observability,
  );
  const intake = await serveIntake({
    port,
    take: (source, bodies) =>
      queues.events.sendAs(
        httpSender(source),
        bodies.map((body) => ({ body })),
      ),
  });
  return {
    intake,
    async record(): Promise<void> {
      const options = { name: 'events', queue: queues.events, handler, retrySeconds: () => 0 };
      const onError = (error: unknown) => expect(error).toBeUndefined();
      while (await pollOnce({ ...options, onError }, 0));
    },
    async heard(): Promise<readonly string[]> {
      return (await readHeartbeats(store)).map(({ wec }) => wec);
    },
    /** Sender and reasons of each dead letter. */
    async letters(): Promise<readonly unknown[]> {
      const messages = await queues['events-dlq'].receive({ max: 10, waitSeconds: 0 });
      const letters = messages.map(({ body }) => parseDeadLetter(body));
      // Senders are judged side by side.
      return letters.map((letter) => [letter?.senderId, ...(letter?.reasons ?? [])]).sort();
    },
    async close(): Promise<void> {
      await intake[Symbol.asyncDispose]();
      database.close();
    },
  };
}

const WAITING = { interval: 2, timeout: 20_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-senders-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function senderOf(intake: ServedIntake, source: string) {
  return createHttpEventQueue({ url: intake.url, tokenFile: intake.tokenFile(source) });
}

describe('what comes by HTTP', () => {
  it('is recorded for the source of the token, and is a dead letter for any other, which stops no other message', async () => {
    const receiver = await openReceiver(join(folder, 'state.sqlite'));
    const { intake } = receiver;
    await senderOf(intake, 'wec/a').send([heartbeats('a'), heartbeats('b'), heartbeats('a')]);
    await senderOf(intake, 'wec/b').send([heartbeats('a', 'b')]);
    await receiver.record();
    expect(await receiver.heard()).toEqual(['a']);
    expect(await receiver.letters()).toEqual([
      ['http:wec/a', notRegistered('the token of wec/a', 'wec/b')],
      [
        'http:wec/b',
        expect.stringMatching(/^the token of wec\/b reports 2 sources .* for wec\/\*/),
      ],
    ]);
    await receiver.close();
  });

  it('is recorded for every WEC with the token of an ITS, many in a message, and for no WDS', async () => {
    const receiver = await openReceiver(join(folder, 'state.sqlite'));
    const its = senderOf(receiver.intake, 'wec/*');
    await its.send([heartbeats('a', 'b', 'c'), heartbeats('d')]);
    const source = { type: 'wds', name: 'wds1' } as const;
    const event = encodeEvent({
      ...{ source, version: { epoch: 1, sequence: 1 }, time: '2026-01-01T00:00:00Z' },
      content: { type: 'heartbeat' },
    });
    await its.send([{ body: encodeBatch([event]) }]);
    await receiver.record();
    expect(await receiver.heard()).toEqual(['a', 'b', 'c', 'd']);
    expect(await receiver.letters()).toEqual([
      ['http:wec/*', notRegistered('the token of wec/*', sourceText(source))],
    ]);
    await receiver.close();
  });

  it('cannot be brought in the name of another: only the process itself redrives', async () => {
    const receiver = await openReceiver(join(folder, 'state.sqlite'));
    const { body } = heartbeats('b');
    const redriven = encodeRedriven({ senderId: 'http:wec/b', body }) ?? '';
    await senderOf(receiver.intake, 'wec/a').send([{ body: redriven }]);
    await receiver.record();
    expect(await receiver.heard()).toEqual([]);
    expect(await receiver.letters()).toEqual([
      [
        'http:wec/a',
        expect.stringMatching(/^the token of wec\/a may not redrive messages of others/),
      ],
    ]);
    await receiver.close();
  });

  it('is not lost when the receiver stops and restarts, if the sender retries until it is accepted', async () => {
    const file = join(folder, 'state.sqlite');
    let receiver = await openReceiver(file);
    const { port, url } = receiver.intake;
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, tokenOf('wec/*'));
    const queue = createHttpEventQueue({ url, tokenFile });
    const taken: string[] = [];
    let [failures, isEnough] = [0, false];
    const sendUntilTaken = async (wec: string): Promise<void> => {
      for (;;)
        try {
          await queue.send([heartbeats(wec)]);
          taken.push(wec);
          return;
        } catch (error) {
          expect(error).toBeInstanceOf(QueueUnavailableError);
          failures += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
    };
    const sending = (async () => {
      for (let next = 100_000; !isEnough; next += 1) await sendUntilTaken(`wec-${next}`);
    })();
    for (let restart = 0; restart < 3; restart += 1) {
      const [takenBefore, failuresBefore] = [taken.length, failures];
      await expect.poll(() => taken.length, WAITING).toBeGreaterThan(takenBefore + 5);
      await receiver.close();
      await expect.poll(() => failures, WAITING).toBeGreaterThan(failuresBefore);
      receiver = await openReceiver(file, port);
    }
    isEnough = true;
    await sending;
    await receiver.record();
    expect(await receiver.heard()).toEqual(taken);
    expect(await receiver.letters()).toEqual([]);
    await receiver.close();
  });
});
