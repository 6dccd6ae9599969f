import { beforeEach, describe, expect, it } from 'vitest';
import { sweepFleet } from '#functions/sweep-stale/fleet.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { contactKey } from '#shared/state/fleet/contacts.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { fleetRowItem, fleetRowKey } from '#shared/state/fleet/fleet-rows.ts';
import { readSilence } from '#shared/state/silence.ts';
import {
  cluster,
  FLEET_SOURCE,
  fleetObject,
  listed,
  NAMESPACE,
  says,
  UPSTREAM,
} from '#test/unit/protocol/fleet-events.ts';
import { interrupted, type Moment, Pipeline } from '#test/unit/protocol/pipeline.ts';

/** An agent that misses three of its reports has fallen silent (docs/fleet.md). */
const LIMIT_MS = 45 * 60_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const NOTHING = { silent: [], speaking: [], differences: 0 };

let pipeline: Pipeline;
beforeEach(async () => {
  pipeline = new Pipeline();
  pipeline.now = START_MS;
  await beat();
});

/** The forwarder of a management cluster sees it. */
async function beat(name = UPSTREAM): Promise<void> {
  await pipeline.store.put([listed({ type: 'fleet', name })]);
  await pipeline.record(pipeline.event({ type: 'fleet', name }, { type: 'heartbeat' }));
}

/** So much later, and the forwarder still sees the management cluster. */
async function later(ms: number): Promise<void> {
  pipeline.now += ms;
  await beat();
}

function timeText(): string {
  return new Date(pipeline.now).toISOString();
}

/** The management cluster shows these Clusters; their agents last reported then. */
async function show(names: string, lastSeen: string | undefined = timeText()): Promise<void> {
  await pipeline.record(
    ...[...names].map((name) =>
      pipeline.event(FLEET_SOURCE, says('clusters', name, { object: cluster(name, lastSeen) })),
    ),
  );
  pipeline.takeDirty();
}

async function remove(name: string): Promise<void> {
  await pipeline.record(pipeline.event(FLEET_SOURCE, says('clusters', name)));
  pipeline.takeDirty();
}

/** A Bundle has a row below a Cluster; `stands` false: it had one. */
async function placeBundle(bundle: string, name: string, stands = true): Promise<void> {
  const row = { family: 'BUNDLE', id: `${NAMESPACE}/${bundle}` } as const;
  const key = fleetRowKey(fleetObject('clusters', name), row, 'x/y');
  const item = fleetRowItem(key, stands ? {} : undefined, { version: '1', nowMs: 0 });
  await pipeline.store.put([{ item }]);
}

function sweep(store = pipeline.store) {
  const { dirty, clock } = pipeline.aggregateDeps();
  return sweepFleet({ store, dirty, clock });
}

/** Who has been told since the last call, as `clusters/a`. */
function told(): readonly string[] {
  return pipeline.takeDirty().map((message) => {
    if (message.type !== 'subject' || message.subject.type !== 'fleet') return message.type;
    expect(message.subject).toMatchObject({ upstream: UPSTREAM, namespace: NAMESPACE });
    return `${message.subject.resource}/${message.subject.name}`;
  });
}

function silent(...names: readonly string[]) {
  return { ...NOTHING, silent: names.map((name) => `${UPSTREAM}/${NAMESPACE}/${name}`) };
}

function speaking(...names: readonly string[]) {
  return { ...NOTHING, speaking: names.map((name) => `${UPSTREAM}/${NAMESPACE}/${name}`) };
}

async function silentNames(): Promise<readonly string[]> {
  const entries = [...(await readSilence(pipeline.store, { upstream: UPSTREAM })).values()];
  return entries.filter((entry) => entry.silent).map(({ name }) => name);
}

describe('a Cluster of Fleet', () => {
  it('is silent when its agent has reported nothing for longer than 45 minutes, and not before', async () => {
    await show('a');
    await later(LIMIT_MS);
    expect(await sweep()).toEqual(NOTHING);
    await later(1);
    expect(await sweep()).toEqual(silent('a'));
    expect(await silentNames()).toEqual([`${NAMESPACE}/a`]);
  });

  it('is reported once, with the Bundles that have rows there', async () => {
    await show('ab');
    await placeBundle('web', 'a');
    await placeBundle('api', 'a');
    await placeBundle('gone', 'a', false);
    await placeBundle('db', 'b');
    await later(LIMIT_MS + 1);
    await show('b');
    await sweep();
    const first = told();
    expect(first[0]).toBe('clusters/a');
    expect([...first].sort()).toEqual(['bundles/api', 'bundles/web', 'clusters/a']);
    await later(1);
    expect(await sweep()).toEqual(NOTHING);
    expect(told()).toEqual([]);
  });

  it('is reported with the others that fall silent then, each Bundle once', async () => {
    await show('ab');
    for (const name of ['a', 'b']) await placeBundle('web', name);
    await later(LIMIT_MS + 1);
    expect(await sweep()).toEqual(silent('a', 'b'));
    expect([...told()].sort()).toEqual(['bundles/web', 'clusters/a', 'clusters/b']);
  });

  it('whose agent reports again is reported once', async () => {
    await show('a');
    await placeBundle('web', 'a');
    await later(LIMIT_MS + 1);
    await sweep();
    told();
    await show('a');
    expect(await sweep()).toEqual(speaking('a'));
    expect(told()).toEqual(['clusters/a', 'bundles/web']);
    expect(await silentNames()).toEqual([]);
    expect(await sweep()).toEqual(NOTHING);
    expect(told()).toEqual([]);
  });

  it('that was last seen at another time, and is silent still, is reported again', async () => {
    const [first, second] = ['2025-12-31T00:00:00Z', '2025-12-31T12:00:00Z'];
    await show('a', first);
    expect(await sweep()).toEqual(silent('a'));
    told();
    await show('a', second);
    expect(await sweep()).toEqual(silent('a'));
    expect(told()).toEqual(['clusters/a']);
    expect(
      (await readSilence(pipeline.store, { upstream: UPSTREAM })).get(`${NAMESPACE}/a`),
    ).toMatchObject({
      silent: true,
      lastSeen: second,
    });
    expect(await sweep()).toEqual(NOTHING);
  });

  it('that is shown again while it is silent, last seen when it was, is not reported', async () => {
    await show('a', '2025-12-31T00:00:00Z');
    await sweep();
    told();
    await show('a', '2025-12-31T00:00:00Z');
    expect(await sweep()).toEqual(NOTHING);
    expect(told()).toEqual([]);
  });

  it('whose agent has never reported is not silent', async () => {
    await pipeline.record(
      pipeline.event(FLEET_SOURCE, says('clusters', 'a', { object: cluster('a') })),
    );
    await later(2 * LIMIT_MS);
    expect(await sweep()).toEqual(NOTHING);
  });

  it('that is gone is not silent anymore, and its Bundles are reported', async () => {
    await show('a');
    await placeBundle('web', 'a');
    await later(LIMIT_MS + 1);
    await sweep();
    told();
    await remove('a');
    expect(await sweep()).toEqual(speaking('a'));
    expect(told()).toEqual(['clusters/a', 'bundles/web']);
    expect(await silentNames()).toEqual([]);
  });

  it('that is gone does not fall silent', async () => {
    await show('a');
    await remove('a');
    await later(2 * LIMIT_MS);
    expect(await sweep()).toEqual(NOTHING);
  });

  it('that was deleted before it could be reported is not reported', async () => {
    await show('a');
    await later(LIMIT_MS + 1);
    const dying = interrupted(pipeline.store, BEFORE_ENTRY, killed);
    expect(await sweep(dying)).toMatchObject({ error: ERROR });
    await remove('a');
    expect(await sweep()).toEqual(NOTHING);
    expect(told()).toEqual([]);
  });

  it('of which an entry has another name than Kubernetes allows delays no other', async () => {
    await show('a');
    const [item] = await pipeline.store.get([contactKey(UPSTREAM, `${NAMESPACE}/a`)]);
    if (item === undefined) throw new Error('there is no contact');
    const hostile = ['', 'a', 'a/b/c', 'a#/b'].map((name) => ({
      item: { ...item, ...contactKey(UPSTREAM, name) },
    }));
    await pipeline.store.put(hostile);
    await later(LIMIT_MS + 1);
    await sweep();
    expect(told()).toEqual(['clusters/a']);
  });
});

const ERROR = new Error('killed');
const killed = (): Promise<void> => Promise.reject(ERROR);
const ENTRY = { call: 'put', sk: NAMESPACE } as const;
const BEFORE_ENTRY: Moment = { ...ENTRY, when: 'before' };
const AFTER_ENTRY: Moment = { ...ENTRY, when: 'after' };
const BEFORE_NOTE: Moment = { ...ENTRY, body: '"told":true', when: 'before' };

describe('a sweep', () => {
  beforeEach(async () => {
    await show('a');
    await placeBundle('web', 'a');
    await later(LIMIT_MS + 1);
  });

  it.each([
    ['before it has stored what it found', BEFORE_ENTRY, 0],
    ['before it has told', AFTER_ENTRY, 0],
    ['before it has noted that it told', BEFORE_NOTE, 2],
  ])('that dies %s leaves that to the next one', async (_when, moment, before) => {
    const dying = interrupted(pipeline.store, moment, killed);
    expect(await sweep(dying)).toMatchObject({ silent: [], error: ERROR });
    const first = told();
    expect(first).toHaveLength(before);
    expect(await sweep()).toEqual(silent('a'));
    // What was sent already is the same message again, which a queue drops.
    expect([...first, ...told()]).toEqual(['clusters/a', 'bundles/web']);
    expect(await sweep()).toEqual(NOTHING);
  });

  it.each([
    ['before it has stored what it found', BEFORE_ENTRY, NOTHING],
    ['before it has told', AFTER_ENTRY, silent('a')],
    ['before it has noted that it told', BEFORE_NOTE, silent('a')],
  ])('that another one overtakes %s notifies no subject twice', async (_when, moment, outcome) => {
    const slow = interrupted(pipeline.store, moment, async () => {
      await sweep();
    });
    expect(await sweep(slow)).toEqual(outcome);
    expect(told()).toEqual(['clusters/a', 'bundles/web']);
    expect(await sweep()).toEqual(NOTHING);
    expect(told()).toEqual([]);
  });

  it.each([
    ['before it has stored that', BEFORE_ENTRY],
    ['before it has told of that', AFTER_ENTRY],
    ['before it has noted that it told of that', BEFORE_NOTE],
  ])(
    'does not take a Cluster for silent that another one hears again %s',
    async (_when, moment) => {
      const slow = interrupted(pipeline.store, moment, async () => {
        await sweep();
        told();
        await show('a');
        await sweep();
      });
      await sweep(slow);
      await sweep();
      expect(await silentNames()).toEqual([]);
      expect(told().slice(0, 2)).toEqual(['clusters/a', 'bundles/web']);
    },
  );

  it('that another one overtakes with some of its findings reports only the others', async () => {
    await later(1_000);
    await show('b');
    await later(LIMIT_MS + 1);
    const slow = interrupted(pipeline.store, BEFORE_ENTRY, async () => {
      // A process whose clock is behind: for it only the first one is silent.
      pipeline.now -= 1_000;
      expect(await sweep()).toEqual(silent('a'));
      pipeline.now += 1_000;
    });
    expect(await sweep(slow)).toEqual(silent('b'));
    expect(told()).toEqual(['clusters/a', 'bundles/web', 'clusters/b']);
  });

  it('reads and writes nothing of a Cluster while nothing changes', async () => {
    await sweep();
    const calls: string[] = [];
    const { store } = pipeline;
    const counted: ItemStore = {
      ...store,
      get: (keys) => {
        calls.push(...keys.map(({ pk }) => `get ${pk}`));
        return store.get(keys);
      },
      query: (query) => {
        calls.push(`query ${query.pk}`);
        return store.query(query);
      },
      put: (puts) => {
        calls.push(...puts.map(({ item }) => `put ${item.pk}`));
        return store.put(puts);
      },
    };
    await sweep(counted);
    expect(calls.slice(0, 4)).toEqual([
      'query HEARTBEATS',
      `get E#fleet/${UPSTREAM}`,
      `query CONTACTS#${UPSTREAM}`,
      `query SILENCE#${UPSTREAM}`,
    ]);
    // And how many differences there are.
    expect(calls.slice(4)).toEqual([expect.stringMatching(/^query /)]);
  });
});

describe('differences', () => {
  const found = { total: 1, differences: [], revision: 1, nowMs: 0 };

  it('are counted over all management clusters', async () => {
    const other = { type: 'fleet', name: 'second' } as const;
    await beat(other.name);
    for (const name of ['a', 'b'])
      await putDifferences(pipeline.store, fleetObject('bundles', name), found);
    const bundle = { ...fleetObject('bundles', 'a'), upstream: other.name };
    await putDifferences(pipeline.store, bundle, found);
    expect(await sweep()).toEqual({ ...NOTHING, differences: 3 });
  });

  it('are not counted if there is no management cluster', async () => {
    pipeline = new Pipeline();
    await pipeline.record(
      pipeline.event({ type: 'wec', name: 'wec1' }, { type: 'heartbeat' }),
      pipeline.event({ type: 'wds', name: 'wds1' }, { type: 'heartbeat' }),
    );
    await putDifferences(pipeline.store, fleetObject('bundles', 'a'), found);
    expect(await sweep()).toEqual({ silent: [], speaking: [] });
  });
});

describe('a management cluster whose forwarder is not heard of', () => {
  it('has its Clusters looked at as of when it was heard of last', async () => {
    await show('a');
    await later(LIMIT_MS);
    pipeline.now += 60_000;
    expect(await sweep()).toEqual(NOTHING);
    await later(1);
    expect(await sweep()).toEqual(silent('a'));
  });

  it('for too long keeps what was found of its Clusters', async () => {
    await show('ab', '2025-12-31T00:00:00Z');
    await sweep();
    told();
    await show('b');
    pipeline.now += SILENCE_LIMIT_MS + 1;
    expect(await sweep()).toEqual(NOTHING);
    expect(await silentNames()).toEqual([`${NAMESPACE}/a`, `${NAMESPACE}/b`]);
    await beat();
    expect(await sweep()).toEqual(speaking('b'));
  });

  it('keeps no other from its turn when it fails, and is not counted', async () => {
    const first = 'a-broken-one';
    await beat(first);
    await show('a');
    await later(LIMIT_MS + 1);
    await beat(first);
    const { store } = pipeline;
    const broken: ItemStore = {
      ...store,
      query: (query) => (query.pk.endsWith(first) ? Promise.reject(ERROR) : store.query(query)),
    };
    const { differences: _differences, ...outcome } = silent('a');
    expect(await sweep(broken)).toEqual({ ...outcome, error: ERROR });
    expect(told()).toEqual(['clusters/a']);
  });
});

it('Clusters of the same name in two management clusters are distinguished', async () => {
  const other = { type: 'fleet', name: 'second' } as const;
  await beat(other.name);
  await show('a');
  await later(LIMIT_MS + 1);
  const object = cluster('a', timeText());
  await pipeline.record(pipeline.event(other, says('clusters', 'a', { object })));
  pipeline.takeDirty();
  expect(await sweep()).toEqual(silent('a'));
  expect(told()).toEqual(['clusters/a']);
});

it('what is kept of a Cluster that reports again may go after an hour', async () => {
  await show('a');
  await later(LIMIT_MS + 1);
  await sweep();
  await show('a');
  await sweep();
  const { items } = await pipeline.store.query({ pk: `SILENCE#${UPSTREAM}` });
  expect(items.map(({ expiresAt }) => expiresAt)).toEqual([Math.ceil(pipeline.now / 1000) + 3600]);
});
