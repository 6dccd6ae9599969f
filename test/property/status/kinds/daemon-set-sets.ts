import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { SELECTING } from './served-specs.ts';

const nodes = fc.nat({ max: 6 });

interface Counters {
  readonly desired: number;
  readonly current: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly misscheduled: number;
}

/** Counters of a cluster with some nodes; most have a pod of the newest template on each. */
const counters = nodes.chain((desired) => {
  const all = { current: desired, updated: desired, ready: desired, available: desired };
  const done = fc.constant(all);
  const rolling = fc
    .record({ updated: fc.nat({ max: desired }), down: fc.nat({ max: Math.min(desired, 1) }) })
    .map(({ updated, down }) => ({
      ...all,
      updated,
      ready: desired - down,
      available: desired - down,
    }));
  const any = fc
    .record({ current: nodes, updated: nodes, ready: nodes, available: nodes })
    .map((raw) => ({ ...raw, available: Math.min(raw.available, raw.ready) }));
  return fc
    .record({
      counts: fc.oneof(
        { weight: 6, arbitrary: done },
        { weight: 2, arbitrary: rolling },
        { weight: 1, arbitrary: any },
      ),
      misscheduled: fc.constantFrom(0, 0, 0, 1, 2),
    })
    .map(({ counts, misscheduled }): Counters => ({ desired, misscheduled, ...counts }));
});

function statusOf(counts: Counters): JsonObject {
  const { desired, current, updated, ready, available, misscheduled } = counts;
  const omitted = {
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: Math.max(desired - available, 0),
  };
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...Object.fromEntries(Object.entries(omitted).filter(([, value]) => value !== 0)),
  };
}

const strategies = fc.constantFrom<JsonObject[]>(
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  { type: 'OnDelete' },
  {},
);

/** DaemonSets in clusters with different numbers of nodes, also with an update strategy of the WEC's own. */
export const DAEMON_SET: KindSets = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  served: { spec: SELECTING },
  readsGeneration: true,
  hasGeneration: true,
  literal: {
    numbers: [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
    ],
    types: [],
  },
  specs: fc.record({ updateStrategy: strategies, image: fc.constant('v2') }),
  differingSpec: (spec) => strategies.map((updateStrategy) => ({ ...spec, updateStrategy })),
  olderSpec: (spec) => ({ ...spec, image: 'v1' }),
  statuses: () => counters.map(statusOf),
};
