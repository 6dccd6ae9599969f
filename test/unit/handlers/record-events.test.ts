import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventContent, EventSource } from '#shared/core/event.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { parseDirty, parseHint } from '#shared/messages/dirty.ts';
import { encodeRedriven } from '#shared/messages/redriven.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import { putHead } from '#shared/state/head.ts';
import { rowKey } from '#shared/state/keys.ts';
import { registerSender } from '#shared/state/senders.ts';
import { Deployment, STAGE, SWEEPER } from './deployment.ts';

const WEC: EventSource = { type: 'wec', name: 'wec1' };
const WDS: EventSource = { type: 'wds', name: 'wds1' };
const FORWARDER = 'AROAFORWARDER';
const STRANGER = 'AROASTRANGER';
const OBJECT = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
const WORKLOAD = { wds: WDS.name, ...OBJECT };
const SUBJECT: Subject = { type: 'workload', workload: WORKLOAD };

let deployment: Deployment;
let handler: typeof import('#functions/record-events/handler.ts').handler;
let sequence = 0;

beforeAll(async () => {
  deployment = await Deployment.start('record-events');
  for (const source of [WEC, WDS])
    await registerSender(deployment.store, { source, principal: FORWARDER });
  ({ handler } = await import('#functions/record-events/handler.ts'));
});

afterAll(() => deployment.close());

beforeEach(() => {
  sequence += 1;
});

function body(source: EventSource, content: EventContent): string {
  const version = { epoch: 1, sequence };
  return encodeBatch([encodeEvent({ source, version, time: '2026-01-01T00:00:00Z', content })]);
}

function fromWec(): string {
  const returned = { uid: 'u', generation: 1, status: { readyReplicas: sequence } };
  const base = { type: 'wec-object', wds: WDS.name, subject: OBJECT } as const;
  return body(WEC, { ...base, first: false, returned });
}

/** Lets a principal send a body, and the function handle it. */
async function record(text: string, principal: string): Promise<readonly string[]> {
  await deployment.queue('EventsQueue', `${principal}:session`).send([{ body: text }]);
  return deployment.feed(handler, 'EventsQueue');
}

/** What is in the queues that the function sends to. */
async function sent() {
  return {
    dirty: await deployment.read('DirtyQueue', parseDirty),
    hints: await deployment.read('HintsQueue', parseHint),
    letters: await deployment.read('EventsDeadLetterQueue', parseDeadLetter),
  };
}

describe('record-events, as it is put together', () => {
  it('records what a registered sender reports, and notifies the aggregator', async () => {
    expect(await record(fromWec(), FORWARDER)).toEqual([]);
    expect(await sent()).toEqual({
      dirty: [expect.objectContaining({ subject: SUBJECT, wecs: [WEC.name] })],
      hints: [],
      letters: [],
    });
    const [row] = await deployment.store.get([rowKey(WORKLOAD, WEC.name)]);
    expect(row?.version).toBeDefined();
  });

  it('sends a hint for an echo that is not what the writer has left, and its content to the aggregator', async () => {
    const head = {
      revision: 1,
      hash: 'h',
      shards: 1,
      layoutRevision: 0,
      consumed: {},
      errorBindings: [],
    };
    await putHead(deployment.store, subjectPartition(SUBJECT), head);
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
    const echo = body(WDS, { type: 'wds-object', subject: OBJECT, first: true, object });
    expect(await record(echo, FORWARDER)).toEqual([]);
    expect(await sent()).toEqual({
      dirty: [expect.objectContaining({ subject: SUBJECT })],
      hints: [expect.objectContaining({ subject: SUBJECT, objects: [] })],
      letters: [],
    });
  });

  it('leaves a letter of a sender that is not registered, and counts it for its service and stage', async () => {
    const forged = fromWec();
    expect(await record(forged, STRANGER)).toEqual([]);
    const letter = { code: 'forged-sender', body: forged, senderId: `${STRANGER}:session` };
    const letters = [expect.objectContaining(letter)];
    expect(await sent()).toEqual({ dirty: [], hints: [], letters });
    expect(deployment.output()).toContainEqual(
      expect.objectContaining({ service: 'record-events', stage: STAGE, ForgedSenders: 1 }),
    );
  });

  it.each([
    { by: 'the role of sweep-stale', principal: SWEEPER, recorded: 1, refused: 0 },
    { by: 'anybody else', principal: STRANGER, recorded: 0, refused: 1 },
  ])('judges what is redriven by $by', async ({ principal, recorded, refused }) => {
    const redriven = encodeRedriven({ senderId: `${FORWARDER}:session`, body: fromWec() });
    expect(await record(redriven ?? '', principal)).toEqual([]);
    const { dirty, letters } = await sent();
    expect([dirty.length, letters.length]).toEqual([recorded, refused]);
  });

  it('lets a message that it cannot handle come again after a second', async () => {
    // No message can hold a letter with that in it.
    const huge = 'x'.repeat(MAX_MESSAGE_BYTES);
    expect(await record(huge, FORWARDER)).toEqual([huge]);
    expect(await deployment.take('EventsQueue')).toEqual([]);
    deployment.clock = () => 1_000;
    const [again] = await deployment.take('EventsQueue');
    expect(again).toMatchObject({ body: huge, receiveCount: 2 });
    expect(deployment.asked('ChangeMessageVisibilityBatch')).toEqual(['EventsQueue']);
  });
});
