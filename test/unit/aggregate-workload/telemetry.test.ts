import { beforeEach, describe, expect, it } from 'vitest';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { type DirtyMessage, encodeDirty } from '#shared/messages/dirty.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import { NOT_HANDLED } from '#shared/runtime/batch.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { readHead } from '#shared/state/head.ts';
import { Pipeline, WDS, WEB, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const BINDING: DirtyMessage = {
  type: 'subject',
  subject: { type: 'binding', wds: WDS, name: 'b' },
};
const COLLECTOR: DirtyMessage = {
  type: 'subject',
  subject: { type: 'collector', wds: WDS, name: 'c' },
};
const MEMBERS: DirtyMessage = {
  type: 'members',
  wds: WDS,
  binding: 'b',
  revision: 1,
  cursor: '',
};

function workload(change: Partial<DirtyMessage> = {}): DirtyMessage {
  return { type: 'subject', subject: WEB_SUBJECT, ...change } as DirtyMessage;
}

function received(message: DirtyMessage, index: number): ReceivedMessage {
  const messageId = `m${index}`;
  const { body } = encodeDirty(message, messageId);
  return { messageId, receiptHandle: messageId, body, senderId: 's', receiveCount: 1, sentAt: 0 };
}

let pipeline: Pipeline;
beforeEach(async () => {
  pipeline = new Pipeline();
  await pipeline.begin(['wec1', 'wec2']);
  await pipeline.record(pipeline.said('wec1', 3));
  pipeline.takeDirty();
});

/** What the function prints for one batch. */
async function printed(messages: readonly DirtyMessage[], down = false) {
  const { observability, lines } = createObservedOutput();
  const deps = { ...pipeline.aggregateDeps(), telemetry: createTelemetry(observability) };
  const get = () => Promise.reject(new StoreUnavailableError('get'));
  const store = down ? { ...pipeline.store, get, query: get } : pipeline.store;
  const handler = createAggregateWorkload({ ...deps, store }, observability);
  await handler(sqsEvent('dirty', messages.map(received)), localContext('aggregate', 'request-1'));
  return lines();
}

describe('what aggregate-workload counts', () => {
  it('is one fold for a subject, and the messages that shared it', async () => {
    const lines = await printed([workload({ wecs: ['wec1'] }), workload(), workload(), BINDING]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ Folds: [1, 1], EventsCoalesced: 2, service: 'test' });
  });

  it.each([
    ['a workload', workload()],
    ['a Binding', BINDING],
    ['a StatusCollector', COLLECTOR],
  ])('is one fold for %s, and nothing shared by a single message', async (_name, message) => {
    const [metrics] = await printed([message]);
    expect(metrics).toMatchObject({ Folds: 1 });
    expect(metrics).not.toHaveProperty('EventsCoalesced');
  });

  it('is nothing where silence alone has changed and nobody asks for it, nor for pages', async () => {
    expect(await printed([workload({ silence: true }), MEMBERS])).toEqual([]);
  });

  it('is not a fold that failed', async () => {
    const [, metrics] = await printed([workload(), workload()], true);
    expect(metrics).toMatchObject({ RetryableFailures: 1 });
    expect(metrics).not.toHaveProperty('Folds');
    expect(metrics).not.toHaveProperty('EventsCoalesced');
  });
});

describe('the log of aggregate-workload', () => {
  it('has a line for debugging of each fold', async () => {
    await handleDirty(pipeline.aggregateDeps(), [workload()]);
    const { revision } = await readHead(pipeline.store, subjectPartition(WEB_SUBJECT));
    expect(pipeline.telemetry.lines.at(-1)).toEqual({
      level: 'debug',
      message: 'aggregated',
      fields: { wds: WDS, workload: `${WDS}/apps/deployments/shop/web`, revision, isNew: true },
    });
  });

  it.each<[DirtyMessage, object]>([
    [workload(), { wds: WDS, workload: `${WDS}/apps/deployments/shop/web` }],
    [BINDING, { wds: WDS, binding: 'b' }],
    [COLLECTOR, { wds: WDS, collector: 'c' }],
    [MEMBERS, { wds: WDS, binding: 'b' }],
    [
      { type: 'sweep', source: { type: 'wec', name: 'wec1' }, since: { epoch: 1, sequence: 1 } },
      { wec: 'wec1' },
    ],
  ])('names what %o is about when it fails', async (message, fields) => {
    const [line] = await printed([message], true);
    expect(line).toMatchObject({
      level: 'ERROR',
      message: NOT_HANDLED,
      function_request_id: 'request-1',
      messageIds: ['m0'],
      ...fields,
    });
  });
});

describe('when the change was', () => {
  it('goes with a workload from its message to its hint; the result is the same without it', async () => {
    await handleDirty(pipeline.aggregateDeps(), [workload({ wecs: ['wec1'] })]);
    expect(pipeline.takeHints()).toEqual([{ subject: WEB_SUBJECT, objects: [] }]);
    const before = await readHead(pipeline.store, subjectPartition(WEB_SUBJECT));
    await handleDirty(pipeline.aggregateDeps(), [workload({ wecs: ['wec1'], changedMs: 70 })]);
    expect(pipeline.takeHints()).toEqual([{ subject: WEB_SUBJECT, objects: [], changedMs: 70 }]);
    const after = await readHead(pipeline.store, subjectPartition(WEB_SUBJECT));
    expect(after.hash).toBe(before.hash);
  });

  it('goes with a Binding to its workload objects', async () => {
    await pipeline.bind(['wec1']);
    const [changed] = pipeline.takeDirty();
    await handleDirty(pipeline.aggregateDeps(), [{ ...(changed ?? BINDING), changedMs: 70 }]);
    expect(pipeline.takeDirty()).toEqual([
      { type: 'subject', subject: WEB_SUBJECT, changedMs: 70 },
    ]);
  });

  it('goes with a StatusCollector to the Bindings that name it', async () => {
    await pipeline.bind(['wec1'], { statusCollectors: ['c'] });
    await pipeline.settle();
    await handleDirty(pipeline.aggregateDeps(), [{ ...COLLECTOR, changedMs: 70 }]);
    expect(pipeline.takeDirty()).toEqual([{ ...BINDING, changedMs: 70 }]);
  });

  it('goes with stray CombinedStatuses to the writer', async () => {
    const strays = [{ namespace: 'shop', name: 's' }];
    await pipeline.settle();
    const message = workload({ wecs: ['wec1'], changedMs: 70, strays });
    await handleDirty(pipeline.aggregateDeps(), [message]);
    expect(pipeline.takeHints()).toContainEqual({
      subject: WEB_SUBJECT,
      objects: strays,
      changedMs: 70,
    });
  });

  it.each([
    ['what is gone', 9_000],
    ['what stands there', 0],
  ])('goes with a complete listing to %s', async (_what, sequence) => {
    const { group, resource, namespace, name } = WEB;
    await pipeline.settle();
    await handleDirty(pipeline.aggregateDeps(), [
      {
        type: 'sweep',
        source: { type: 'wds', name: WDS },
        since: { epoch: 1, sequence },
        changedMs: 70,
      },
    ]);
    const told = [...pipeline.takeDirty(), ...pipeline.takeHints()];
    expect(told).toContainEqual(
      expect.objectContaining({
        subject: { type: 'workload', workload: { wds: WDS, group, resource, namespace, name } },
        changedMs: 70,
      }),
    );
    expect(told.every(({ changedMs }) => changedMs === 70)).toBe(true);
  });
});
