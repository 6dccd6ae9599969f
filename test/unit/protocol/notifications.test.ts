import { beforeEach, describe, expect, it } from 'vitest';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { statusRejected } from '#functions/write-results/messages.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putHead, readHead } from '#shared/state/head.ts';
import { putNotified } from '#shared/state/notified.ts';
import { MULTI, Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const VERDICT = { type: 'verdict', workload: WEB_SUBJECT.workload };
const WECS = ['wec1', 'wec2'];

let pipeline: Pipeline;

/** What a WEC says of the Deployment, of which it runs so many replicas. */
function said(name: string, ready: number): ForwarderEvent {
  const { group, resource, namespace, name: object } = WEB;
  const counts = { replicas: 9, updatedReplicas: 9, readyReplicas: ready };
  const status = { ...counts, availableReplicas: ready, observedGeneration: 1 };
  return pipeline.event(
    { type: 'wec', name },
    {
      type: 'wec-object',
      wds: WDS,
      subject: { group, resource, namespace, name: object },
      first: true,
      returned: { uid: `${name}-web`, generation: 1, spec: { replicas: 9 }, status },
    },
  );
}

/** A state in which everybody has reported everything, and there is nothing. */
async function listed(): Promise<void> {
  pipeline = new Pipeline();
  pipeline.notifies = true;
  for (const name of WECS) {
    const since = { epoch: 1, sequence: 0 };
    await pipeline.record(pipeline.event({ type: 'wec', name }, { type: 'snapshot', since }));
  }
  await pipeline.listWds();
}

/** The messages about Bindings, and the others. */
function ofBindings(messages: readonly DirtyMessage[]) {
  const isBinding = (one: DirtyMessage): boolean =>
    'subject' in one && one.subject.type === 'binding';
  return [messages.filter(isBinding), messages.filter((one) => !isBinding(one))] as const;
}

/** The Deployment of two WECs, which have all its replicas. Everybody has reported everything. */
async function begin(): Promise<void> {
  await listed();
  await pipeline.begin(WECS);
  await pipeline.record(...WECS.map((wec) => said(wec, 9)));
  await pipeline.settle();
}

beforeEach(begin);

class Crash extends Error {}

/** Aggregates with a process that dies before its call number `last`. */
async function aggregateUntil(message: DirtyMessage, last: number): Promise<'crashed' | 'done'> {
  const deps = pipeline.aggregateDeps();
  let calls = 0;
  const call = <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls > last) throw new Crash();
    return run();
  };
  const { store, notifications, hints, dirty } = deps;
  const dying: ItemStore = {
    get: (keys) => call(() => store.get(keys)),
    query: (query) => call(() => store.query(query)),
    put: (puts) => call(() => store.put(puts)),
    delete: (deletes) => call(() => store.delete(deletes)),
  };
  const sending = (queue: typeof hints | undefined) => ({
    send: (messages: Parameters<typeof hints.send>[0]) => call(async () => queue?.send(messages)),
  });
  const queues = {
    notifications: sending(notifications),
    hints: sending(hints),
    dirty: sending(dirty),
  };
  try {
    await handleDirty({ ...deps, store: dying, ...queues }, [message]);
    return 'done';
  } catch (error) {
    if (error instanceof Crash) return 'crashed';
    throw error;
  }
}

async function takeOne(): Promise<DirtyMessage> {
  const [message, ...others] = pipeline.takeDirty();
  if (message === undefined || others.length > 0) throw new Error('not one message');
  return message;
}

describe('a message about the verdict', () => {
  it('is sent if the verdict has changed, with the one before', async () => {
    expect(pipeline.takeNotifications()).toEqual([
      { type: 'change', topic: VERDICT, before: 'None' },
    ]);
    expect((await readHead(pipeline.store, PK)).verdict).toEqual({ status: 'Healthy' });
  });

  it('is not sent if something else has changed', async () => {
    pipeline.takeNotifications();
    await pipeline.bind([...WECS].reverse(), { ...MULTI });
    await pipeline.settle();
    expect(pipeline.takeNotifications()).toEqual([]);
  });

  it('is not sent without a rule that concerns verdicts', async () => {
    pipeline.takeNotifications();
    pipeline.notifies = false;
    await pipeline.record(said('wec1', 1));
    await pipeline.settle();
    pipeline.notifies = true;
    expect(await readHead(pipeline.store, PK)).not.toHaveProperty('verdictBefore');
    expect(pipeline.takeNotifications()).toEqual([]);
  });

  it('is not lost wherever the process dies', async () => {
    let last = 0;
    for (let outcome = 'crashed'; outcome === 'crashed'; last += 1) {
      await begin();
      pipeline.takeNotifications();
      await pipeline.record(said('wec1', 1));
      const message = await takeOne();
      outcome = await aggregateUntil(message, last);
      await pipeline.aggregate(message);
      expect({ last, sent: pipeline.takeNotifications() }).toEqual({
        last,
        sent: [{ type: 'change', topic: VERDICT, before: 'Healthy' }],
      });
      expect(await readHead(pipeline.store, PK)).toMatchObject({
        verdict: { status: 'Progressing', message: expect.stringContaining('1 of 9') },
      });
    }
    // It was not a process without calls.
    expect(last).toBeGreaterThan(10);
  });

  it('is sent once more before a later head replaces the one that names it', async () => {
    await pipeline.record(said('wec1', 1));
    await pipeline.aggregate(await takeOne());
    expect(await readHead(pipeline.store, PK)).toHaveProperty('verdictBefore', 'Healthy');
    await pipeline.record(said('wec1', 2));
    await pipeline.settle();
    expect(await readHead(pipeline.store, PK)).not.toHaveProperty('verdictBefore');
  });

  describe('in a new state in which everything is recorded before it is aggregated', () => {
    const COUNTS = { replicas: 9, updatedReplicas: 9, readyReplicas: 9, availableReplicas: 9 };
    const HEALTHY = { status: { ...COUNTS, observedGeneration: 1 } };

    /** What receivers are told if the WDS has the Deployment with this status. */
    async function toldOf(status: JsonObject, ready: number) {
      await listed();
      await pipeline.apply(WEB, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'shop', generation: 1 },
        spec: { replicas: 9 },
        ...status,
      });
      await pipeline.bind(WECS);
      await pipeline.record(...WECS.map((wec) => said(wec, ready)));
      // The Binding comes first, so the first head of the object has its verdict.
      const [bindings, others] = ofBindings(pipeline.takeDirty());
      for (const message of [...bindings, ...others]) await pipeline.aggregate(message);
      await pipeline.settle();
      return pipeline.takeNotifications();
    }

    it('is not sent of the verdict that the WDS shows', async () => {
      expect(await toldOf(HEALTHY, 9)).toEqual([]);
      expect((await readHead(pipeline.store, PK)).verdict?.status).toBe('Healthy');
    });

    it('is sent of another one, with the one that the WDS shows', async () => {
      expect(await toldOf(HEALTHY, 1)).toEqual([
        { type: 'change', topic: VERDICT, before: 'Healthy' },
      ]);
    });

    it.each([{}, { status: {} }])('is sent of a new object, with %j', async (status) => {
      expect(await toldOf(status, 9)).toEqual([{ type: 'change', topic: VERDICT, before: 'None' }]);
    });
  });

  it('is not sent after the head of an older release, of which the verdict is not known', async () => {
    const stored = await readHead(pipeline.store, PK);
    const { verdict: _verdict, verdictBefore: _before, ...head } = stored;
    await putHead(pipeline.store, PK, { ...head, revision: head.revision + 1 });
    pipeline.takeNotifications();
    await pipeline.record(said('wec1', 1));
    await pipeline.settle();
    expect(pipeline.takeNotifications()).toEqual([]);
    expect((await readHead(pipeline.store, PK)).verdict?.status).toBe('Progressing');
  });

  it('is not sent as long as sources have not reported everything', async () => {
    pipeline = new Pipeline();
    pipeline.notifies = true;
    await pipeline.begin(WECS);
    expect(await readHead(pipeline.store, PK)).not.toHaveProperty('verdict');
    expect(pipeline.takeNotifications()).toEqual([]);
  });

  it('says that an object without a Binding has no verdict', async () => {
    pipeline.takeNotifications();
    await pipeline.bind(WECS, null);
    await pipeline.settle();
    expect(pipeline.takeNotifications()).toEqual([
      { type: 'change', topic: VERDICT, before: 'Healthy' },
    ]);
    expect((await readHead(pipeline.store, PK)).verdict).toEqual({ status: 'None' });
  });
});

describe('a message about a silent WEC', () => {
  const beat = (name: string): Promise<void> =>
    pipeline.record(pipeline.event({ type: 'wec', name }, { type: 'heartbeat' }));
  const silence = (before: string) => ({
    type: 'change',
    topic: { type: 'silence', wec: 'wec1' },
    before,
  });

  it('is sent when it becomes silent and when it reports again', async () => {
    for (const wec of WECS) await beat(wec);
    await pipeline.sweep();
    pipeline.takeNotifications();
    pipeline.now += SILENCE_LIMIT_MS + 1;
    await beat('wec2');
    await pipeline.sweep();
    expect(pipeline.takeNotifications()).toEqual([silence('Reporting')]);
    await pipeline.sweep();
    expect(pipeline.takeNotifications()).toEqual([]);
    await beat('wec1');
    await pipeline.sweep();
    expect(pipeline.takeNotifications()).toEqual([silence('Silent')]);
  });
});

describe('a message about what the API server rejects', () => {
  const REFUSALS = { type: 'refusals', workload: WEB_SUBJECT.workload } as const;
  const message = { type: 'change', topic: REFUSALS, before: 'Accepted' };

  /** What a WEC reports is rejected, or accepted again. */
  async function write(ready: number, isRejected: boolean): Promise<void> {
    const { replaceStatus } = pipeline.wds.api;
    const api = pipeline.wds.api as { replaceStatus: typeof replaceStatus };
    if (isRejected)
      api.replaceStatus = async (ref, change) => {
        if (ref.resource === WEB.resource) throw new ApiInvalidError('replaceStatus', 'no');
        return replaceStatus(ref, change);
      };
    await pipeline.record(said('wec1', ready));
    await pipeline.settle();
    api.replaceStatus = replaceStatus;
  }

  const taken = () => pipeline.takeNotifications().filter(({ topic }) => topic.type === 'refusals');

  it('is sent for each of its changes, and not if nobody has to be notified', async () => {
    await write(8, false);
    expect(taken()).toEqual([]);
    await write(7, true);
    expect(taken()).toEqual([message]);
    const refused = [statusRejected('no')];
    const note = { revision: 1, state: { status: 'Refused', refused }, sentTo: {}, once: {} };
    await putNotified(pipeline.store, REFUSALS, { before: undefined, next: note });
    await write(6, true);
    expect(taken()).toEqual([]);
    await write(5, false);
    expect(taken()).toEqual([message]);
  });
});
