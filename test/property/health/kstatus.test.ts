import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import { KSTATUS_ORDER, type KstatusVerdict } from '#shared/core/health/kstatus/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

const KINDS = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'ReplicaSet'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['batch/v1', 'Job'],
  ['v1', 'Pod'],
  ['v1', 'Service'],
  ['v1', 'PersistentVolumeClaim'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['demo.example.com/v1', 'Widget'],
] as const;
const TYPES = ['Ready', 'Progressing', 'Available', 'Complete', 'Failed', 'Established', 'Stalled'];
const COUNTERS = [
  ...['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'fullyLabeledReplicas'],
  ...['currentReplicas', 'desiredNumberScheduled', 'currentNumberScheduled', 'numberReady'],
  ...['updatedNumberScheduled', 'numberAvailable', 'succeeded', 'active', 'failed'],
] as const;

// What fast-check calls a JSON value is one.
const odd = fc.jsonValue() as fc.Arbitrary<JsonValue>;

/** A value that fits, now and then one that does not. */
function mostly(fitting: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.oneof({ arbitrary: fitting, weight: 9 }, { arbitrary: odd, weight: 1 });
}

const condition = fc.record(
  {
    type: mostly(fc.constantFrom(...TYPES)),
    status: mostly(fc.constantFrom('True', 'False', 'Unknown')),
    reason: mostly(fc.constantFrom('ProgressDeadlineExceeded', 'NewReplicaSetAvailable')),
    message: mostly(fc.string()),
  },
  { requiredKeys: [] },
);
const status: fc.Arbitrary<JsonValue> = mostly(
  fc.record(
    {
      ...Object.fromEntries(COUNTERS.map((counter) => [counter, mostly(fc.nat(2))])),
      observedGeneration: mostly(fc.constant(1)),
      phase: mostly(fc.constantFrom('Running', 'Pending', 'Succeeded', 'Bound')),
      startTime: mostly(fc.constant('2026-11-21T11:59:59Z')),
      containerStatuses: mostly(
        fc.array(
          fc.record({
            name: mostly(fc.string()),
            state: mostly(fc.constant({ waiting: { reason: 'CrashLoopBackOff' } })),
          }),
          { maxLength: 2 },
        ),
      ),
      conditions: mostly(fc.array(mostly(condition), { maxLength: 3 })),
    },
    { requiredKeys: [] },
  ),
);
const object: fc.Arbitrary<JsonObject> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    generation: mostly(fc.constant(1)),
    spec: mostly(fc.record({ replicas: mostly(fc.nat(2)) }, { requiredKeys: [] })),
    status,
  })
  .map(({ kind: [apiVersion, kind], generation, spec, status: given }) => ({
    apiVersion,
    kind,
    metadata: { name: 'x', generation },
    spec,
    status: given,
  }));

/** The condition that a status goes with. */
function conditionOf(verdict: KstatusVerdict): readonly string[] {
  switch (verdict.status) {
    case 'InProgress':
      return ['Reconciling'];
    case 'Failed':
      return ['Stalled'];
    default:
      return [];
  }
}

describe('kstatus of any JSON', () => {
  it('is a verdict with the condition that goes with its status', () => {
    fc.assert(
      fc.property(
        fc.oneof({ arbitrary: object, weight: 9 }, fc.dictionary(fc.string(), odd)),
        (given) => {
          const verdict = assessKstatus(given, NOW_MS);
          expect(KSTATUS_ORDER).toContain(verdict.status);
          expect(typeof verdict.message).toBe('string');
          expect(verdict.conditions.map(({ type }) => type)).toEqual(conditionOf(verdict));
        },
      ),
      { numRuns: 4000 },
    );
  });

  it('is no better when a counter of readiness falls', () => {
    const workloads = object.filter(({ kind }) => kind !== 'Widget' && kind !== 'Pod');
    fc.assert(
      fc.property(
        workloads,
        fc.constantFrom('readyReplicas', 'availableReplicas'),
        (given, counter) => {
          const before = assessKstatus(given, NOW_MS).status;
          const { status: had } = given;
          fc.pre(typeof had === 'object' && had !== null && !Array.isArray(had));
          const after = assessKstatus(
            { ...given, status: { ...had, [counter]: 0 } },
            NOW_MS,
          ).status;
          expect(KSTATUS_ORDER.indexOf(after)).toBeLessThanOrEqual(KSTATUS_ORDER.indexOf(before));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
