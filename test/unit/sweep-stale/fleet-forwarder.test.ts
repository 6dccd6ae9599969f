import { beforeEach, describe, expect, it } from 'vitest';
import { sweepFleet } from '#functions/sweep-stale/fleet.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { versionText } from '#shared/state/keys.ts';
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
import { Pipeline } from '#test/unit/protocol/pipeline.ts';

const AGENT_LIMIT_MS = 45 * 60_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const SECOND = { type: 'fleet', name: 'second' } as const;

let pipeline: Pipeline;
beforeEach(async () => {
  pipeline = new Pipeline();
  pipeline.now = START_MS;
  await pipeline.store.put([FLEET_SOURCE, SECOND].map(listed));
});

async function beat(source: typeof FLEET_SOURCE | typeof SECOND = FLEET_SOURCE): Promise<void> {
  await pipeline.record(pipeline.event(source, { type: 'heartbeat' }));
}

/** The management cluster shows the Cluster; its agent last reported now. */
async function show(source: typeof FLEET_SOURCE | typeof SECOND = FLEET_SOURCE): Promise<void> {
  const object = cluster('a', new Date(pipeline.now).toISOString());
  await pipeline.record(pipeline.event(source, says('clusters', 'a', { object })));
  pipeline.takeDirty();
}

function sweep(store: ItemStore = pipeline.store) {
  const { dirty, clock } = pipeline.aggregateDeps();
  return sweepFleet({ store, dirty, clock });
}

const NOTHING = { silent: [], speaking: [], differences: 0 };
const SILENT = { ...NOTHING, silent: [`${UPSTREAM}/${NAMESPACE}/a`] };

/** Whether the Cluster was found silent. */
async function isFound(): Promise<boolean> {
  const found = (await readSilence(pipeline.store, { upstream: UPSTREAM })).get(`${NAMESPACE}/a`);
  return found?.silent ?? false;
}

describe('a Cluster whose management cluster has a forwarder', () => {
  it('that is down does not fall silent, however long that takes', async () => {
    await show();
    await beat();
    pipeline.now += 10 * AGENT_LIMIT_MS;
    expect(await sweep()).toEqual(NOTHING);
    expect(pipeline.takeDirty()).toEqual([]);
  });

  it('that has not told everything since it took over is not judged', async () => {
    await show();
    pipeline.now += 10 * AGENT_LIMIT_MS;
    await pipeline.record(pipeline.event(FLEET_SOURCE, { type: 'heartbeat' }, 2));
    expect(await sweep()).toEqual(NOTHING);
    const version = versionText({ epoch: 2, sequence: 0 });
    await pipeline.store.put([{ item: { ...listed(FLEET_SOURCE).item, version } }]);
    expect(await sweep()).toEqual(SILENT);
  });

  it('that was last heard of before its agent was missed is not silent', async () => {
    await show();
    pipeline.now += AGENT_LIMIT_MS;
    await beat();
    pipeline.now += SILENCE_LIMIT_MS;
    expect(await sweep()).toEqual(NOTHING);
    await beat();
    expect(await sweep()).toEqual(SILENT);
  });

  it('that goes down keeps what was found, silent or not', async () => {
    await show();
    pipeline.now += AGENT_LIMIT_MS + 1;
    await beat();
    expect(await sweep()).toEqual(SILENT);
    pipeline.now += SILENCE_LIMIT_MS + 1;
    await show();
    expect(await sweep()).toEqual(NOTHING);
    expect(await isFound()).toBe(true);
    await beat();
    expect(await sweep()).toEqual({ ...NOTHING, speaking: SILENT.silent });
    expect(await isFound()).toBe(false);
  });

  it('that heard later than the clock says is judged by the clock', async () => {
    await show();
    pipeline.now += 2 * AGENT_LIMIT_MS;
    await beat();
    pipeline.now = START_MS + AGENT_LIMIT_MS;
    expect(await sweep()).toEqual(NOTHING);
  });
});

it('differences are counted also while a forwarder is down', async () => {
  await beat();
  const found = { total: 1, differences: [], revision: 1, nowMs: 0 };
  await putDifferences(pipeline.store, fleetObject('bundles', 'web'), found);
  pipeline.now += SILENCE_LIMIT_MS + 1;
  expect(await sweep()).toEqual({ ...NOTHING, differences: 1 });
});

describe('a management cluster that cannot be swept', () => {
  /** A store in which what begins so cannot be read. */
  function without(pk: string): ItemStore {
    return {
      ...pipeline.store,
      query: async (query) => {
        if (query.pk === pk) throw new Error('cannot be read');
        return pipeline.store.query(query);
      },
    };
  }

  beforeEach(async () => {
    for (const source of [FLEET_SOURCE, SECOND]) await show(source);
    pipeline.now += AGENT_LIMIT_MS + 1;
    for (const source of [FLEET_SOURCE, SECOND]) await beat(source);
  });

  it.each([`CONTACTS#${UPSTREAM}`, `SILENCE#${UPSTREAM}`])(
    'for %s does not keep another one from its turn',
    async (pk) => {
      expect(await sweep(without(pk))).toEqual({
        silent: [`${SECOND.name}/${NAMESPACE}/a`],
        speaking: [],
        error: new Error('cannot be read'),
      });
      expect(await sweep()).toEqual(SILENT);
    },
  );

  it('leaves the differences of all uncounted: some of them are not all', async () => {
    const outcome = await sweep(without(`FLEETDIFFS#${UPSTREAM}`));
    expect(outcome).toEqual({
      silent: [`${UPSTREAM}/${NAMESPACE}/a`, `${SECOND.name}/${NAMESPACE}/a`],
      speaking: [],
      error: new Error('cannot be read'),
    });
  });
});
