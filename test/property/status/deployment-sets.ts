import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { deployment } from '#test/fixtures/wec-rows.ts';

/** A WEC, and what is true of it: the object as it stands there, and whether it acts on the WDS's generation. */
export interface KnownWec {
  readonly perWec: PerWecRow;
  /** The WEC's own object; absent where there is none. */
  readonly object?: JsonObject;
  readonly current: boolean;
}

/** A Deployment in the WDS and in its WECs. */
export interface DeploymentSet {
  readonly workload: WorkloadObject;
  readonly wecs: readonly KnownWec[];
  readonly specsByHash: ReadonlyMap<string, JsonValue>;
}

/** Which kinds of trouble the WECs of a set may have. */
export interface SetOptions {
  /** Whether WECs may want other numbers of replicas than the WDS. */
  readonly differingSpecs: boolean;
  /** Whether some may be missing, lagging, deleting, or have observed less than their own generation. */
  readonly outOfStep: boolean;
}

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

function conditionOf(type: string, pairs: readonly (readonly [string, string])[]) {
  return fc.option(
    fc.record({ pair: fc.constantFrom(...pairs), at: time }).map(
      ({ pair: [status, reason], at }): JsonObject => ({
        type,
        status,
        reason,
        message: `${reason}.`,
        lastTransitionTime: at,
        lastUpdateTime: at,
      }),
    ),
    { nil: undefined },
  );
}

const conditions = fc
  .tuple(
    conditionOf('Progressing', [
      ['False', 'ProgressDeadlineExceeded'],
      ['True', 'ProgressDeadlineExceeded'],
      ['True', 'NewReplicaSetAvailable'],
      ['True', 'ReplicaSetUpdated'],
      ['False', 'ReplicaSetCreateError'],
      ['Unknown', 'DeploymentResumed'],
    ]),
    conditionOf('Available', [
      ['True', 'MinimumReplicasAvailable'],
      ['False', 'MinimumReplicasUnavailable'],
    ]),
    conditionOf('ReplicaFailure', [
      ['True', 'FailedCreate'],
      ['False', 'Recovered'],
    ]),
  )
  .map((entries) => entries.filter((entry) => entry !== undefined))
  .filter(
    // Most sets have no failure, so that other troubles show.
    (entries) => entries.length < 3,
  );

/** Counters that an API server accepts; half of them are those of a finished rollout. */
function countersFor(wanted: number): fc.Arbitrary<JsonObject> {
  const any = fc
    .record({
      replicas: fc.nat({ max: 8 }),
      updated: fc.nat({ max: 8 }),
      ready: fc.nat({ max: 8 }),
      available: fc.nat({ max: 8 }),
    })
    .map((raw) => {
      const ready = Math.min(raw.ready, raw.replicas);
      return {
        replicas: raw.replicas,
        updated: Math.min(raw.updated, raw.replicas),
        ready,
        available: Math.min(raw.available, ready),
      };
    });
  const done = fc.constant({ replicas: wanted, updated: wanted, ready: wanted, available: wanted });
  const near = fc.nat({ max: 1 }).map((missing) => ({
    replicas: wanted + 1,
    updated: wanted + 1,
    ready: wanted + 1,
    available: wanted + 1 - missing,
  }));
  return fc.oneof({ weight: 6, arbitrary: done }, near, any, any).map((counts) => {
    const all = {
      replicas: counts.replicas,
      updatedReplicas: counts.updated,
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      unavailableReplicas: Math.max(wanted - counts.available, 0),
    };
    return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0));
  });
}

interface Making {
  readonly index: number;
  readonly generation: number;
  readonly replicas: number;
  readonly options: SetOptions;
}

const TROUBLES = [
  'lagging',
  'lagging spec',
  'unobserved',
  'deleting',
  'no status',
  'missing',
] as const;
const NO_TROUBLE = fc.constant('none' as const);

interface Made {
  readonly wanted: number;
  readonly trouble: (typeof TROUBLES)[number] | 'none';
  readonly ownGeneration: number;
  readonly annotated: boolean;
  readonly counters: JsonObject;
  readonly entries: readonly JsonObject[];
}

function statusOf({ trouble, ownGeneration, counters, entries }: Made): JsonObject {
  const observedGeneration = ownGeneration - Number(trouble === 'unobserved');
  return {
    ...counters,
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
    ...(entries.length === 0 ? {} : { conditions: entries }),
  };
}

/** The WEC's own object. */
function objectOf(made: Made): JsonObject {
  const { trouble, wanted, ownGeneration: generation } = made;
  const deletion = trouble === 'deleting' ? { deletionTimestamp: '2025-11-01T10:00:00Z' } : {};
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', generation, ...deletion },
    spec: { replicas: wanted, image: trouble === 'lagging spec' ? 'v1' : 'v2' },
    ...(trouble === 'no status' ? {} : { status: statusOf(made) }),
  };
}

/** What a forwarder makes of it. Without an annotation only an autoscaler may have set other replicas. */
function rowOf(wec: string, made: Made, { generation, replicas }: Making): WecRow {
  const { trouble, annotated, wanted, ownGeneration } = made;
  const { spec = null, status } = objectOf(made);
  const older = generation - Number(trouble === 'lagging');
  const isAnnotated = trouble === 'lagging' || (annotated && trouble !== 'lagging spec');
  return {
    wec,
    uid: `uid-${wec}`,
    generation: ownGeneration,
    specHash: JSON.stringify(spec),
    ...(isAnnotated ? { sourceGeneration: older } : {}),
    replicasFromScale: wanted !== replicas,
    deleting: trouble === 'deleting',
    ...(status === undefined ? {} : { status }),
  };
}

function wecOf(making: Making): fc.Arbitrary<KnownWec> {
  const { replicas, options } = making;
  const wec = `wec${making.index}`;
  const another = fc.nat({ max: 6 });
  const own = options.differingSpecs
    ? fc.option(another, { nil: replicas })
    : fc.constant(replicas);
  const made = own.chain((wanted) =>
    fc.record<Made>({
      wanted: fc.constant(wanted),
      trouble: options.outOfStep
        ? fc.oneof({ weight: 12, arbitrary: NO_TROUBLE }, fc.constantFrom(...TROUBLES))
        : NO_TROUBLE,
      ownGeneration: fc.integer({ min: 1, max: 9 }),
      annotated: fc.boolean(),
      counters: countersFor(wanted),
      entries: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, conditions),
    }),
  );
  return made.map((one): KnownWec => {
    if (one.trouble === 'missing') return { perWec: { wec }, current: false };
    return {
      perWec: { wec, row: rowOf(wec, one, making) },
      object: objectOf(one),
      current: one.trouble === 'none',
    };
  });
}

/** Sets of one to six WECs whose status their API servers would accept. */
export function deploymentSets(options: SetOptions): fc.Arbitrary<DeploymentSet> {
  return fc
    .record({
      generation: fc.integer({ min: 1, max: 4 }),
      replicas: fc.nat({ max: 5 }),
      size: fc.integer({ min: 1, max: 6 }),
    })
    .chain(({ generation, replicas, size }) =>
      fc
        .tuple(
          ...Array.from({ length: size }, (_none, index) =>
            wecOf({ index, generation, replicas, options }),
          ),
        )
        .map((wecs): DeploymentSet => {
          const specs = wecs.flatMap(({ object }): [string, JsonValue][] => {
            const spec = object?.['spec'];
            return spec === undefined ? [] : [[JSON.stringify(spec), spec]];
          });
          const workload = deployment(generation, { replicas, image: 'v2' });
          return { workload, wecs, specsByHash: new Map(specs) };
        }),
    );
}
