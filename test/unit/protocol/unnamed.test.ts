import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { RANGE, range, rowKey } from '#shared/state/keys.ts';
import { objectCounts } from '#shared/state/quota.ts';
import { decodeRow, readRows } from '#shared/state/rows.ts';
import { ForwarderBench } from '#test/unit/event-forwarder/forwarder-bench.ts';
import { interrupted, Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const WEC = { type: 'wec', name: 'wec1' } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RESYNC_MS = 10 * HOUR_MS;
const ROW = rowKey(WEB_SUBJECT.workload, WEC.name);

let pipeline: Pipeline;
/** The forwarder of the WEC, as it is. */
let forwarder: ForwarderBench;

function web(ready: number, uid = 'u1'): JsonObject {
  const counts = { readyReplicas: ready, availableReplicas: ready };
  const metadata = { name: WEB.name, namespace: WEB.namespace, uid, generation: 1 };
  return { metadata, status: { replicas: 9, updatedReplicas: 9, ...counts } };
}

/** Records what the forwarder says in so much time. */
async function forward(ms: number): Promise<void> {
  await forwarder.time.advance(ms);
  const events = forwarder.queue.events();
  forwarder.queue.bodies.length = 0;
  await pipeline.record(...events);
}

/** Time passes until the forwarder has listed everything anew, and that has been swept. */
async function resync(): Promise<void> {
  await forward(RESYNC_MS);
  await pipeline.settle();
}

async function rows(): Promise<readonly unknown[]> {
  const found = await readRows(pipeline.store, ROW.pk, { from: '', to: 'g' });
  return found.map(({ row }) => row?.uid);
}

async function entries(): Promise<number> {
  const { items } = await pipeline.store.query(range(sourcePartition(WEC), RANGE.reported));
  return items.length;
}

/** The sweep that the forwarder's next listing asks for, with all else done. */
async function sweepOfResync(): Promise<DirtyMessage> {
  await forward(RESYNC_MS);
  const messages = pipeline.takeDirty();
  for (const message of messages) if (message.type !== 'sweep') await pipeline.aggregate(message);
  const sweep = messages.find(({ type }) => type === 'sweep');
  if (sweep === undefined) throw new Error('nothing was listed anew');
  return sweep;
}

/** No Binding has named the Deployment for so long. */
async function leaveUnnamed(days: number): Promise<void> {
  await pipeline.bind([WEC.name], null);
  await pipeline.settle();
  pipeline.now += days * DAY_MS;
}

beforeEach(async () => {
  pipeline = new Pipeline();
  forwarder = new ForwarderBench();
  forwarder.serve(WEB);
  forwarder.cluster.put(WEB, web(3));
  const { group, version, resource } = WEB;
  forwarder.start({ ...WEC, wds: WDS, resources: [{ group, version, resource }] });
  await pipeline.begin([WEC.name]);
  await pipeline.listWds();
  await forward(1000);
  await pipeline.settle();
  expect(await pipeline.ready()).toBe(3);
});

afterEach(() => forwarder.stop());

describe('the row of an object that no Binding names', () => {
  it('stays for 15 days, and goes with its entry and its place at the next listing after them', async () => {
    await leaveUnnamed(14);
    await resync();
    expect([await rows(), await entries()]).toEqual([['u1'], 1]);
    pipeline.now += DAY_MS;
    await resync();
    expect([await rows(), await entries()]).toEqual([[], 0]);
    expect(await objectCounts(pipeline.store, [WEC])).toEqual([{ objects: 0 }]);
  });

  it('is deleted if no Binding has ever named it', async () => {
    const other = { ...web(1, 'u2'), metadata: { name: 'job', namespace: 'shop', uid: 'u2' } };
    forwarder.cluster.put(WEB, other);
    await forward(1000);
    await pipeline.settle();
    expect(await entries()).toBe(2);
    pipeline.now += 15 * DAY_MS;
    await resync();
    expect([await rows(), await entries()]).toEqual([['u1'], 1]);
  });

  it('is not recorded again while the object stays, listed or changed, and costs no place', async () => {
    await leaveUnnamed(15);
    await resync();
    await resync();
    forwarder.cluster.put(WEB, web(5));
    await forward(1000);
    expect([await rows(), await entries(), pipeline.takeDirty()]).toEqual([[], 0, []]);
    expect(await objectCounts(pipeline.store, [WEC])).toEqual([{ objects: 0 }]);
  });

  it('stays if a Binding names it again before', async () => {
    await leaveUnnamed(14);
    await pipeline.bind([WEC.name]);
    await pipeline.settle();
    await leaveUnnamed(14);
    await resync();
    expect(await rows()).toEqual(['u1']);
  });
});

describe('an object that is named again after its row has gone', () => {
  beforeEach(async () => {
    await leaveUnnamed(15);
    await resync();
    expect(await rows()).toEqual([]);
  });

  async function nameAgain(): Promise<void> {
    await pipeline.bind([WEC.name]);
    await pipeline.settle();
  }

  it('has its status when the forwarder lists everything again, although nothing has changed', async () => {
    await nameAgain();
    await resync();
    expect([await rows(), await entries(), await pipeline.ready()]).toEqual([['u1'], 1, 3]);
  });

  it('has it with the next change of the object', async () => {
    await nameAgain();
    forwarder.cluster.put(WEB, web(7));
    await forward(1000);
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(7);
  });

  it('has it immediately if the WEC creates the object again, even before the Binding is known', async () => {
    forwarder.cluster.remove(WEB, `${WEB.namespace}/${WEB.name}`);
    await forward(1000);
    forwarder.cluster.put(WEB, web(4, 'u2'));
    await forward(1000);
    await pipeline.settle();
    expect(await rows()).toEqual(['u2']);
    await nameAgain();
    expect(await pipeline.ready()).toBe(4);
  });

  it('has it though its tombstone has gone', async () => {
    await pipeline.store.delete([{ key: ROW }]);
    await nameAgain();
    await resync();
    expect(await pipeline.ready()).toBe(3);
  });

  it('keeps what a late message says of it from coming back', async () => {
    const [tombstone] = await pipeline.store.get([ROW]);
    await nameAgain();
    const late = pipeline.said(WEC.name, 1);
    await pipeline.record(late);
    await pipeline.settle();
    expect(await pipeline.store.get([ROW])).toEqual([tombstone]);
    expect(tombstone && decodeRow(tombstone)).toEqual({
      wec: WEC.name,
      deleted: true,
      unnamed: 'u1',
    });
  });
});

describe('a sweep of rows that no Binding names', () => {
  beforeEach(() => leaveUnnamed(15));

  async function nameIt(): Promise<void> {
    await pipeline.bind([WEC.name]);
    await pipeline.settle();
  }

  const HIDING = { call: 'put', sk: RANGE.row, body: '"row"' } as const;
  const READING = { call: 'query', sk: RANGE.membership } as const;
  /** Until the Bindings are read for the second time. */
  const BEFORE_THAT = [
    { ...READING, when: 'before' },
    { ...READING, when: 'after' },
    { ...HIDING, when: 'before' },
    { ...HIDING, when: 'after' },
  ] as const;

  it.each(BEFORE_THAT)(
    'keeps row and status if a Binding names the object $when a $call of $sk',
    async (moment) => {
      const sweep = await sweepOfResync();
      await pipeline.aggregate(sweep, interrupted(pipeline.store, moment, nameIt));
      await pipeline.settle();
      expect([await rows(), await entries(), await pipeline.ready()]).toEqual([['u1'], 1, 3]);
      expect(await pipeline.store.get([ROW])).toEqual([
        expect.not.objectContaining({ expiresAt: expect.anything() }),
      ]);
    },
  );

  it.each(BEFORE_THAT)(
    'keeps them if it is named, but not aggregated yet, $when a $call of $sk',
    async (moment) => {
      const sweep = await sweepOfResync();
      const binding = async (): Promise<void> => {
        await pipeline.bind([WEC.name]);
        // The Binding puts its membership; the workload's aggregation waits.
        const [dirty] = pipeline.takeDirty();
        if (dirty !== undefined) await pipeline.aggregate(dirty);
      };
      await pipeline.aggregate(sweep, interrupted(pipeline.store, moment, binding));
      await pipeline.settle();
      expect([await rows(), await entries(), await pipeline.ready()]).toEqual([['u1'], 1, 3]);
    },
  );

  it('has the row gone for a Binding that names the object after that was decided', async () => {
    const sweep = await sweepOfResync();
    const going = {
      call: 'put',
      sk: RANGE.row,
      body: '"deleted":true,"unnamed"',
      when: 'before',
    } as const;
    const gone = interrupted(pipeline.store, going, async () => {
      // That is the second put: the row is hidden.
      expect(await rows()).toEqual([]);
      await nameIt();
      expect(await pipeline.ready()).toBeUndefined();
    });
    await pipeline.aggregate(sweep, gone);
    await pipeline.settle();
    expect([await rows(), await pipeline.ready()]).toEqual([[], undefined]);
    await resync();
    expect(await pipeline.ready()).toBe(3);
  });

  /** The forms of a row on its way out and back: a sweep dies after each. */
  const FORMS = [
    { form: 'it is hidden', put: 1 },
    { form: 'it is back, which has not been told', put: 2 },
  ];

  it.each(FORMS)('brings the row back though it dies when $form', async ({ put }) => {
    const sweep = await sweepOfResync();
    let puts = 0;
    const dying: ItemStore = {
      ...pipeline.store,
      put: async (items) => {
        const took = await pipeline.store.put(items);
        if (!items.some(({ item }) => item.sk.startsWith(RANGE.row))) return took;
        puts += 1;
        if (puts === 1) await nameIt();
        if (puts === put) throw new Error('died');
        return took;
      },
    };
    await expect(pipeline.aggregate(sweep, dying)).rejects.toThrow('died');
    // What was aggregated while the row was hidden has no status.
    expect(await pipeline.ready()).toBeUndefined();
    await pipeline.aggregate(sweep);
    await pipeline.settle();
    expect([await rows(), await entries(), await pipeline.ready()]).toEqual([['u1'], 1, 3]);
  });

  it('restores it at the next listing if it dies while it is hidden and never returns', async () => {
    const sweep = await sweepOfResync();
    const dying = interrupted(pipeline.store, { ...HIDING, when: 'after' }, () =>
      Promise.reject(new Error('died')),
    );
    await expect(pipeline.aggregate(sweep, dying)).rejects.toThrow('died');
    await nameIt();
    await resync();
    expect([await rows(), await entries(), await pipeline.ready()]).toEqual([['u1'], 1, 3]);
  });

  it('keeps the entry of a row that is hidden when a late message says that the object is new', async () => {
    const sweep = await sweepOfResync();
    const [row] = await pipeline.store.get([ROW]);
    const version = { epoch: 1, sequence: 0 };
    const store = interrupted(pipeline.store, { ...HIDING, when: 'after' }, async () => {
      await pipeline.record({ ...pipeline.said(WEC.name, 1), version });
      expect(await entries()).toBe(1);
      await nameIt();
    });
    await pipeline.aggregate(sweep, store);
    await pipeline.settle();
    expect(await pipeline.store.get([ROW])).toEqual([row]);
    expect([await entries(), await pipeline.ready()]).toEqual([1, 3]);
  });

  it('keeps a row that is reported in the meantime', async () => {
    const sweep = await sweepOfResync();
    const store = interrupted(
      pipeline.store,
      { call: 'put', sk: RANGE.row, when: 'before' },
      async () => {
        forwarder.cluster.put(WEB, web(5));
        await forward(1000);
      },
    );
    await pipeline.aggregate(sweep, store);
    expect([await rows(), await entries()]).toEqual([['u1'], 1]);
  });

  it('keeps the entry of an object that is reported after its row was deleted', async () => {
    const sweep = await sweepOfResync();
    const store = interrupted(
      pipeline.store,
      { call: 'put', sk: RANGE.row, when: 'after' },
      async () => {
        forwarder.cluster.put(WEB, web(5, 'u2'));
        await forward(1000);
      },
    );
    await pipeline.aggregate(sweep, store);
    expect([await rows(), await entries()]).toEqual([['u2'], 1]);
  });

  it('reports, and removes the entry, when it is delivered again after it died between the two', async () => {
    const sweep = await sweepOfResync();
    const dying = interrupted(pipeline.store, { call: 'put', sk: RANGE.row, when: 'after' }, () =>
      Promise.reject(new Error('died')),
    );
    await expect(pipeline.aggregate(sweep, dying)).rejects.toThrow('died');
    expect([await rows(), await entries(), pipeline.takeDirty()]).toEqual([[], 1, []]);
    await pipeline.aggregate(sweep);
    expect(await entries()).toBe(0);
    expect(pipeline.takeDirty()).toEqual([
      { type: 'subject', subject: WEB_SUBJECT, wecs: [WEC.name] },
    ]);
  });
});

it('stays as long as its WDS has not told everything: its Bindings are not known', async () => {
  pipeline = new Pipeline();
  await pipeline.record(pipeline.said(WEC.name, 3));
  await pipeline.settle();
  pipeline.now += 16 * DAY_MS;
  const since = { epoch: 1, sequence: 0 };
  await pipeline.record(pipeline.event(WEC, { type: 'snapshot', since }));
  await pipeline.settle();
  expect(await rows()).toEqual([`${WEC.name}-web`]);
  await pipeline.begin([WEC.name]);
  await pipeline.listWds();
  expect(await pipeline.ready()).toBe(3);
});
