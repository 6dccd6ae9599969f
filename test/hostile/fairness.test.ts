import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowUps } from '#functions/record-events/follow-ups.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { createHeldClusters } from '#functions/write-results/held-clusters.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { type LocalQueues, openQueues } from '#local/stack/queues.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import type { Subject } from '#shared/core/subject.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import { redriveOf } from '#shared/messages/redrive.ts';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { post, type ServedIntake, serveIntake } from '#test/unit/local/intake/served.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const BACKLOG = 10_000;

/** A workload of a WDS. */
function workload(name: string, wds = 'wds1'): Subject {
  const place = { group: 'apps', resource: 'deployments', namespace: 'shop' };
  return { type: 'workload', workload: { wds, ...place, name } };
}

function heartbeat(wec: string, sequence: number): string {
  return encodeEvent({
    source: { type: 'wec', name: wec },
    version: { epoch: 1, sequence },
    time: '2026-01-01T00:00:00Z',
    content: { type: 'heartbeat' },
  });
}

describe('in the queues of the embedded stack', () => {
  let database: SqliteDatabase;
  let queues: LocalQueues;
  beforeEach(() => {
    database = openSqliteDatabase(':memory:');
    queues = openQueues(database);
  });
  afterEach(() => database.close());

  /** The bodies of the first messages that a function would get. */
  async function firstOf(queue: MessageQueue, count: number): Promise<readonly ReceivedMessage[]> {
    const received: ReceivedMessage[] = [];
    while (received.length < count) {
      const some = await queue.receive({ max: 10, waitSeconds: 0 });
      if (some.length === 0) break;
      received.push(...some);
    }
    return received.slice(0, count);
  }

  const many = <T>(of: (index: number) => T): readonly T[] =>
    Array.from({ length: BACKLOG }, (_one, index) => of(index));

  it('a flood of one token leaves the event of another among the first 20', async () => {
    await queues.events.sendAs(
      'http:wec/noisy',
      many((index) => ({ body: `n${index}`, group: sourceGroup({ type: 'wec', name: 'noisy' }) })),
    );
    await queues.events.sendAs('http:wec/quiet', [{ body: 'quiet', group: 'wec/quiet' }]);
    const first = await firstOf(queues.events, 20);
    expect(first.map(({ senderId }) => senderId)).toContain('http:wec/quiet');
  });

  it('whoever comes after a flood waits for one message of it in each invocation, and for four of its workloads', async () => {
    const some = <T>(of: (index: number) => T): readonly T[] =>
      Array.from({ length: 30 }, (_one, index) => of(index));
    await queues.events.send(some((index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    expect(await queues.events.receive({ max: 10, waitSeconds: 0 })).toHaveLength(1);
    await queues.dirty.send(
      some((index) =>
        encodeDirty(
          { type: 'subject', subject: workload(`n${index}`), changedBy: 'wec/noisy' },
          'c',
        ),
      ),
    );
    expect(await queues.dirty.receive({ max: 10, waitSeconds: 0 })).toHaveLength(4);
  });

  it('a flood of one WEC leaves the workload of another WEC among the first 20 to be aggregated', async () => {
    const dirty = (name: string, changedBy: string) =>
      encodeDirty({ type: 'subject', subject: workload(name), changedBy }, name);
    await queues.dirty.send(many((index) => dirty(`n${index}`, 'wec/noisy')));
    await queues.dirty.send([dirty('quiet', 'wec/quiet')]);
    const first = await firstOf(queues.dirty, 20);
    expect(first.filter(({ body }) => body.includes('wec/quiet'))).toHaveLength(1);
  });

  it('a Binding of ten thousand members leaves the change of a WEC among the first 20 to be aggregated', async () => {
    await queues.dirty.send(
      many((index) => encodeDirty({ type: 'subject', subject: workload(`m${index}`) }, 'members')),
    );
    const told = { type: 'subject', subject: workload('w'), changedBy: 'wec/a' } as const;
    await queues.dirty.send([encodeDirty(told, 'c')]);
    const first = await firstOf(queues.dirty, 20);
    expect(first.filter(({ body }) => body.includes('wec/a'))).toHaveLength(1);
  });

  it('thousands of hints of one WDS leave the hint of another cluster among the first 20', async () => {
    const subject: Subject = {
      type: 'fleet',
      upstream: 'rancher1',
      resource: 'bundles',
      namespace: 'n',
      name: 'b',
    };
    await queues.hints.send(
      many((index) => encodeHint({ subject: workload(`n${index}`), objects: [] }, 'c')),
    );
    await queues.hints.send([encodeHint({ subject, objects: [] }, 'c')]);
    const first = await firstOf(queues.hints, 20);
    expect(first.filter(({ body }) => body.includes('rancher1'))).toHaveLength(1);
  });

  it('messages that fail and come again take no turns of others', async () => {
    await queues.events.send(many((index) => ({ body: `n${index}`, group: 'wec/noisy' })));
    const failed = await firstOf(queues.events, 200);
    await queues.events.changeVisibility(
      failed.map(({ receiptHandle }) => receiptHandle),
      0,
    );
    await queues.events.send([{ body: 'quiet', group: 'wec/quiet' }]);
    const first = await firstOf(queues.events, 10);
    expect(first.map(({ body }) => body)).toContain('quiet');
  });

  it('a source with the longest name that there is has a group, and sends', async () => {
    const group = sourceGroup({ type: 'wec', name: 'x'.repeat(253) });
    await queues.events.send([{ body: 'x', group }]);
    expect(await firstOf(queues.events, 1)).toMatchObject([{ group }]);
  });
});

describe('what follows from a batch', () => {
  it('is work of the quiet source, where a noisy one has said something of the same workload', () => {
    const followUps = new FollowUps();
    const tell = (name: string, wec: string): void =>
      followUps.add(workload(name), { cause: `${wec} ${name}`, wec, changedBy: `wec/${wec}` });
    for (let index = 0; index < 900; index += 1) tell(`w${index}`, 'noisy');
    tell('w7', 'quiet');
    const ofQuiet = followUps.dirty().filter(({ tenant }) => tenant === 'wec/quiet');
    expect(ofQuiet.map(({ body }) => JSON.parse(body).subject.workload.name)).toEqual(['w7']);
  });

  it('a dead letter goes back in the group that it came in', () => {
    const message = { body: encodeBatch([heartbeat('a', 1)]), senderId: 'x', group: 'wec/a' };
    expect(redriveOf('events', message, { principal: 'p' })).toMatchObject({
      type: 'send',
      message: { group: 'wec/a' },
    });
  });
});

describe('record-events', () => {
  /** Runs a batch whose every 10 messages take the time of an invocation; the messages that are left for the next one. */
  async function leftOf(
    messages: readonly {
      readonly body: string;
      readonly senderId: string;
      readonly group: string;
    }[],
  ): Promise<readonly string[]> {
    let asked = 0;
    const store = createMemoryItemStore();
    const handler = createRecordEvents(
      {
        store,
        specs: createSpecStore(store),
        dirty: new SentMessages(),
        hints: new SentMessages(),
        deadLetters: new SentMessages(),
        senders: {
          rights: async () => ({ mayReport: () => false, mayRedrive: () => false }),
          called: String,
        },
        telemetry: createMemoryTelemetry(),
        clock: () => {
          asked += 1;
          return asked < 3 ? 0 : 60_000;
        },
      },
      createObservedOutput().observability,
    );
    const received = messages.map((message, index) => ({
      ...message,
      messageId: `${message.senderId} ${index}`,
      receiptHandle: '',
      receiveCount: 1,
      sentAt: 0,
    }));
    const context = {
      ...localContext('record-events', 'x'),
      getRemainingTimeInMillis: () => 60_000,
    };
    const { batchItemFailures } = await handler(sqsEvent('events', received), context);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }

  /** A small message whose events have nearly as many values as several may have. Six of these fill a portion. */
  const EXPENSIVE = gzipSync(
    `[${Array.from({ length: 100 }, (_event, index) => `${heartbeat('n', index).slice(0, -1)},"data":[${'0,'.repeat(900)}0]}`)}]`,
  ).toString('base64');
  const noisy = (groupOf: (index: number) => string) =>
    Array.from({ length: 20 }, (_message, index) => ({
      body: EXPENSIVE,
      senderId: 'noisy',
      group: groupOf(index),
    }));
  const honest = Array.from({ length: 100 }, (_message, index) => ({
    body: encodeBatch([heartbeat('h', index)]),
    senderId: 'honest',
    group: 'wec/h',
  }));

  it('leaves the expensive messages of one sender, and deals with those of another', async () => {
    const left = await leftOf([...noisy(() => 'wec/noisy'), ...honest]);
    expect(left.filter((id) => id.startsWith('honest'))).toEqual([]);
    expect(left.filter((id) => id.startsWith('noisy'))).toHaveLength(14);
  });

  it('gives a sender no more turns for the groups that it has made up', async () => {
    const left = await leftOf([...noisy((index) => `wec/made-up-${index}`), ...honest]);
    expect(left.filter((id) => id.startsWith('honest'))).toEqual([]);
  });
});

describe('the writer', () => {
  it('goes on for others while a WDS answers nothing, however many hints that has', async () => {
    const clusters = createHeldClusters(Date.now, 20);
    let begun = 0;
    const frozen = (): Promise<unknown> =>
      clusters.run('WDS frozen', () => {
        begun += 1;
        return new Promise(() => undefined);
      });
    const first = [frozen(), frozen(), frozen()].map((one) => one.catch(() => 'came again'));
    expect(await Promise.race(first)).toBe('came again');
    const refused = Array.from({ length: 5_000 }, () => frozen().catch(() => 'came again'));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['came again']));
    expect(begun).toBe(3);
    expect(await clusters.run('WDS honest', async () => 'written')).toBe('written');
  });
});

describe('the intake', () => {
  const ONE = '{"messages":["x"]}';

  async function dawdle({ port }: ServedIntake, source: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenOf(source)}\r\n`;
    socket.write(`${head}Content-Length: 100000\r\n\r\n{`);
    return socket;
  }

  it('has a place for a token while others hold all of them with bodies that never end', async () => {
    const limits = { requests: 3, requestsOfToken: 3, turnMs: 20 };
    await using intake = await serveIntake({ limits });
    const sockets = await Promise.all(
      ['wec/a', 'wec/a', 'wec/a', 'wec/*', 'wec/*', 'wec/*'].map((one) => dawdle(intake, one)),
    );
    const authorization = `Bearer ${tokenOf('wec/b')}`;
    expect(await post(intake, ONE, { authorization })).toEqual([202, '']);
    expect(intake.taken).toEqual(['wec/b: x']);
    for (const socket of sockets) socket.destroy();
  });

  it('takes whose message it is from the token, whatever the sender says', async () => {
    await using intake = await serveIntake();
    const forged = '{"messages":["x"],"group":"wec/b","source":"wec/b"}';
    expect(await post(intake, forged, { 'x-group': 'wec/b' })).toEqual([202, '']);
    expect(intake.taken).toEqual(['wec/a: x']);
  });
});
