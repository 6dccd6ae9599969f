import fc from 'fast-check';
import { test } from 'vitest';
import { returnedStatus } from '#functions/event-forwarder/work-status.ts';
import type { ReturnedObject } from '#shared/core/event.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';
import { expectHeard, ForwarderWorld, type Trouble, troubles } from './forwarder-world.ts';

const WORK_STATUSES = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'workstatuses',
};
const MANAGED_CLUSTERS = {
  group: 'cluster.open-cluster-management.io',
  version: 'v1',
  resource: 'managedclusters',
};
const WECS = ['edge-1', 'edge-2'] as const;

interface Report {
  readonly wec: string;
  readonly name: string;
  /** `''`: no label; `/`: a label that is no name. */
  readonly wds: string;
  readonly subject: string;
  /** Seconds; -1: nobody owns the status. */
  readonly updated: number;
  /** -1: no status. */
  readonly n: number;
}

type Step =
  | Trouble
  | ({ readonly type: 'report' } & Report)
  | { readonly type: 'remove'; readonly wec: Report['wec']; readonly name: string }
  | { readonly type: 'cluster'; readonly wec: Report['wec']; readonly available: boolean }
  | { readonly type: 'leave'; readonly wec: Report['wec'] }
  /** The watch breaks, and all of a WEC goes while nobody looks. */
  | { readonly type: 'away'; readonly wec: Report['wec']; readonly restart: boolean };

const wec = fc.constantFrom(...WECS);
const name = fc.constantFrom('s1', 's2', 's3');
const steps = fc.array(
  fc.oneof(
    ...troubles,
    {
      weight: 16,
      arbitrary: fc.record({
        type: fc.constant('report' as const),
        wec,
        name,
        wds: fc.constantFrom('wds1', 'wds1', 'wds1', 'wds1', 'wds2', '', '/'),
        subject: fc.constantFrom('a', 'a', 'a', 'b'),
        updated: fc.integer({ min: -1, max: 3 }),
        n: fc.integer({ min: -1, max: 3 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('remove' as const), wec, name }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('cluster' as const),
        wec,
        available: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('leave' as const), wec }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('away' as const), wec, restart: fc.boolean() }),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

function workStatus({ wec: namespace, name: own, wds, subject, updated, n }: Report): JsonObject {
  const time = `2026-08-01T00:00:0${updated}Z`;
  const owner = { manager: 'add-on', time, fieldsV1: { 'f:status': {} } };
  return {
    kind: 'WorkStatus',
    metadata: {
      namespace,
      name: own,
      ...(wds === '' ? {} : { labels: { 'transport.kubestellar.io/originWdsName': wds } }),
      managedFields: updated < 0 ? [] : [owner],
    },
    spec: {
      sourceRef: { group: 'apps', resource: 'deployments', namespace: 'shop', name: subject },
    },
    ...(n < 0 ? {} : { status: { n } }),
  };
}

class World extends ForwarderWorld {
  readonly #wds: string | undefined;

  constructor(wds: string | undefined) {
    super({ type: 'its', name: 'its1', ...(wds === undefined ? {} : { wds }) }, [
      WORK_STATUSES,
      MANAGED_CLUSTERS,
    ]);
    this.#wds = wds;
    const steady = { name: 'steady', wds: 'wds1', subject: 'steady', updated: 1, n: 1 };
    this.cluster.put(WORK_STATUSES, workStatus({ wec: 'edge-3', ...steady }));
  }

  removeAll(of: Report['wec']): void {
    for (const key of this.cluster.objects(WORK_STATUSES).keys())
      if (key.startsWith(`${of}/`)) this.cluster.remove(WORK_STATUSES, key);
  }

  /** A WEC of which the hub told nothing to this forwarder is left to its silence. */
  isSpokenFor(key: string): boolean {
    const [source = ''] = key.split(' ');
    const clusters = [...this.cluster.objects(MANAGED_CLUSTERS).keys()];
    return this.complete().has(source) || clusters.some((name) => `wec${name}` === source);
  }

  /** Of each object what the WorkStatus says that was updated last; of two of one moment that of the last name. */
  truth(): ReadonlyMap<string, unknown> {
    const newest = new Map<string, { readonly order: string; readonly said: ReturnedObject }>();
    for (const [key, object] of this.cluster.objects(WORK_STATUSES)) {
      const label = at(object, 'metadata', 'labels', 'transport.kubestellar.io/originWdsName');
      const wds = label ?? this.#wds;
      if (wds === undefined || wds === '/') continue;
      const place = `wec/${String(at(object, 'metadata', 'namespace'))} ${String(wds)} apps/deployments/shop/${String(at(object, 'spec', 'sourceRef', 'name'))}`;
      const said = returnedStatus(object);
      const order = `${said.lastUpdate ?? ''} ${key}`;
      const before = newest.get(place);
      if (before === undefined || before.order < order) newest.set(place, { order, said });
    }
    return new Map([...newest].map(([place, { said }]) => [place, said]));
  }
}

function managedCluster(wecName: string, available: boolean): JsonObject {
  const type = 'ManagedClusterConditionAvailable';
  return {
    kind: 'ManagedCluster',
    metadata: { name: wecName },
    status: { conditions: [{ type, status: available ? 'True' : 'Unknown' }] },
  };
}

async function take(world: World, step: Step): Promise<void> {
  const { cluster, time } = world;
  switch (step.type) {
    case 'report':
      return cluster.put(WORK_STATUSES, workStatus(step));
    case 'remove':
      return cluster.remove(WORK_STATUSES, `${step.wec}/${step.name}`);
    case 'cluster':
      return cluster.put(MANAGED_CLUSTERS, managedCluster(step.wec, step.available));
    case 'leave':
      return cluster.remove(MANAGED_CLUSTERS, `/${step.wec}`);
    case 'away':
      await time.advance(500);
      cluster.disconnect();
      if (step.restart) return world.restart(0, () => world.removeAll(step.wec));
      world.removeAll(step.wec);
      return cluster.compact();
    default:
      return world.suffer(step);
  }
}

test.each([undefined, 'wds1'])(
  'whatever breaks in between, who hears a forwarder of an ITS (default WDS: %s) in any order knows in the end what the WorkStatuses say',
  async (wds) => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(fc.nat({ max: 1_000_000 })),
        async (history, shuffle) => {
          const world = new World(wds);
          for (const step of history) await take(world, step);
          await world.heal();
          expectHeard(world, world.truth(), {
            rank: () => shuffle.next().value,
            steady: 'wec/edge-3 wds1 apps/deployments/shop/steady',
            comparable: (known) => new Map([...known].filter(([key]) => world.isSpokenFor(key))),
          });
        },
      ),
      { numRuns: histories({ first: 40, all: 300 }) },
    );
  },
);
