import fc from 'fast-check';
import { countAt } from '#shared/core/health/count-at.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { SELECTING } from './served-specs.ts';

const count = fc.nat({ max: 7 });

function rollingUpdate(partition: number): JsonObject {
  return { type: 'RollingUpdate', rollingUpdate: { partition } };
}

/** As API servers default it, or as it may stand in a file. */
const strategies = fc.oneof<fc.Arbitrary<JsonObject>[]>(
  fc.constant(rollingUpdate(0)),
  fc.integer({ min: 1, max: 6 }).map(rollingUpdate),
  fc.constantFrom<JsonObject[]>(
    { type: 'OnDelete' },
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
    { type: 'RollingUpdate' },
    {},
  ),
);

interface Counters {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
  readonly updated: number;
}

/** Counters that an API server accepts; half of them are those of a WEC that has all it wants. */
function countersFor(spec: JsonObject): fc.Arbitrary<Counters> {
  const wanted = countAt(spec, 'replicas');
  const partition = countAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  const all = { replicas: wanted, ready: wanted, available: wanted, updated: wanted };
  const done = fc.constant(all);
  const partitioned = fc.constant({ ...all, updated: Math.max(wanted - partition, 0) });
  // A rolling update takes down one pod after the other.
  const rolling = fc
    .record({ updated: fc.nat({ max: wanted }), down: fc.nat({ max: 1 }) })
    .map(({ updated, down }) => {
      const up = Math.max(wanted - down, 0);
      return { replicas: up, ready: up, available: up, updated: Math.min(updated, up) };
    });
  const scalingDown = fc.constant({
    replicas: wanted + 1,
    ready: wanted + 1,
    available: wanted + 1,
    updated: wanted + 1,
  });
  const any = fc
    .record({ replicas: count, ready: count, available: count, updated: count })
    .map((raw) => {
      const ready = Math.min(raw.ready, raw.replicas);
      return {
        replicas: raw.replicas,
        ready,
        available: Math.min(raw.available, ready),
        updated: Math.min(raw.updated, raw.replicas),
      };
    });
  return fc.oneof(
    { weight: 5, arbitrary: done },
    { weight: 3, arbitrary: partitioned },
    { weight: 2, arbitrary: rolling },
    scalingDown,
    any,
  );
}

/** Hashes differ from WEC to WEC; a WEC without any has only just been made. */
const revisions = fc
  .constantFrom(['a', 'a'], ['a', 'a'], ['c', 'c'], ['a', 'b'], ['c', 'd'], [])
  .map((hashes): JsonObject => {
    const [current, update] = hashes.map((hash) => `web-${hash}`);
    return current === undefined || update === undefined
      ? {}
      : { currentRevision: current, updateRevision: update };
  });

function statusOf({ replicas, ready, available, updated }: Counters, pair: JsonObject): JsonObject {
  const isDone = pair['currentRevision'] === pair['updateRevision'];
  const omitted = {
    readyReplicas: ready,
    currentReplicas: isDone ? updated : replicas - updated,
    updatedReplicas: updated,
  };
  return {
    replicas,
    ...Object.fromEntries(Object.entries(omitted).filter(([, value]) => value !== 0)),
    availableReplicas: available,
    ...pair,
  };
}

/** StatefulSets: rolling, partitioned and manual updates in every state, also with settings of the WEC's own. */
export const STATEFUL_SET: KindSets = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  served: { spec: { ...SELECTING, serviceName: 'web' } },
  readsGeneration: true,
  hasGeneration: true,
  literal: {
    numbers: [
      'replicas',
      'readyReplicas',
      'availableReplicas',
      'currentReplicas',
      'updatedReplicas',
    ],
    types: [],
  },
  specs: fc.record({
    replicas: fc.nat({ max: 5 }),
    updateStrategy: strategies,
    image: fc.constant('v2'),
  }),
  differingSpec: (spec) =>
    fc
      .record({ replicas: fc.nat({ max: 6 }), updateStrategy: strategies }, { requiredKeys: [] })
      .map((own) => ({ ...spec, ...own })),
  olderSpec: (spec) => ({ ...spec, image: 'v1' }),
  statuses: (spec) =>
    fc
      .record({ counters: countersFor(spec), pair: revisions })
      .map(({ counters, pair }) => statusOf(counters, pair)),
};

/** StatefulSets that an autoscaler in the WEC has scaled. */
export const SCALED_STATEFUL_SET: KindSets = {
  ...STATEFUL_SET,
  specs: STATEFUL_SET.specs.filter(
    (spec) => at(spec, 'updateStrategy', 'type') === 'RollingUpdate',
  ),
  differingSpec: (spec) => fc.nat({ max: 6 }).map((replicas) => ({ ...spec, replicas })),
  scaledInWec: true,
};
