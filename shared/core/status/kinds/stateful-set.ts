import { assessStatefulSet } from '#shared/core/health/stateful-set.ts';
import { at, isObject, type JsonValue } from '#shared/core/json.ts';
import { fieldsOf, maximum, minimum, witness } from '#shared/core/status/component.ts';
import { departing, lowest, oneWec } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { fits, missingOf, replicaCount, replicasIn } from './replicas.ts';

/** How many replicas must be updated for Argo CD: those above the partition, which only rolling updates have. */
function askedIn(spec: JsonValue | undefined): number {
  const partition = at(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  return typeof partition === 'number' ? Math.max(replicasIn(spec) - partition, 0) : 0;
}

function updatesAskedIn({ ownSpec, workload }: RowFacts): number {
  return askedIn(ownSpec ?? workload['spec']);
}

/** Whether Argo CD compares the revisions of the WDS's object. */
function comparesRevisions(spec: JsonValue | undefined): boolean {
  const strategy = at(spec, 'updateStrategy');
  const type = at(strategy, 'type');
  const hasSettings = isObject(at(strategy, 'rollingUpdate'));
  return type !== 'OnDelete' && !(type === 'RollingUpdate' && hasSettings);
}

const REVISIONS = ['currentRevision', 'updateRevision'] as const;

/**
 * Ranks of the WEC whose pair of revisions is used: first a WEC that moves from one revision to another, then one that
 * has finished. If Argo CD calls a moving WEC healthy because of the WEC's own strategy, but the WDS's strategy would
 * make Argo CD wait, the WEC does not count.
 */
const ON_THE_WAY = 2;
const ARRIVED = 1;
const NOT_COUNTED = 0;

function revisionRank({ status, verdict, workload }: RowFacts): number {
  const { currentRevision, updateRevision } = status;
  if (typeof updateRevision !== 'string') return NOT_COUNTED;
  if (currentRevision === updateRevision) return ARRIVED;
  const isFine = verdict === 'Healthy' && comparesRevisions(workload['spec']);
  return isFine ? NOT_COUNTED : ON_THE_WAY;
}

/**
 * The rule for apps/v1 StatefulSets, over all qualified WECs: exactly the proposal. If Argo CD's verdict on it would
 * not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), as few as needed of these are
 * changed:
 *
 * - `readyReplicas`, `updatedReplicas`: if a current WEC is known to want another number of replicas than the WDS, what
 *   the WDS wants minus the largest shortfall of a WEC (D8). If every WEC has what its own partition requires,
 *   `updatedReplicas` is at least what the WDS's partition requires.
 * - `replicas` is then no less than these, and `availableReplicas` no more than the ready ones.
 *
 * The proposal does not define texts. `currentRevision` and `updateRevision` are copied together from one WEC, one that
 * moves from one revision to another if there is any. They are hashes that each cluster computes for itself. If each
 * were aggregated separately, they would be left out as different, which looks finished (S1). `collisionCount` is not
 * aggregated, because Argo CD does not read it.
 *
 * The WDS's partition may require nothing (it is as high as the number of replicas) while a WEC's own partition
 * requires something. No counter can express that, so the aggregate is held back (K6).
 */
export const statefulSetRule = kindRule({
  assess: assessStatefulSet,
  readsGeneration: true,
  shownAtZero: ['replicas', 'availableReplicas'],
  components: {
    replicas: minimum('replicas'),
    ready: replicaCount('readyReplicas'),
    available: minimum('availableReplicas'),
    current: minimum('currentReplicas'),
    updated: replicaCount('updatedReplicas'),
    notUpdated: maximum(missingOf(updatesAskedIn, 'updatedReplicas')),
    revisions: witness(
      (facts) => [revisionRank(facts)],
      (facts) => (revisionRank(facts) === NOT_COUNTED ? {} : fieldsOf(facts.status, ...REVISIONS)),
    ),
  },
  documentation: 'rules.md#statefulset',
  fields: {
    replicas: {
      ...lowest('replicas'),
      ...departing('adapted', 'replicas', 'current', 'ready', 'updated'),
    },
    readyReplicas: {
      ...lowest('ready.lowest'),
      ...departing('largest-shortfall', 'ready.shortfall', 'ready.differs'),
    },
    availableReplicas: { ...lowest('available'), ...departing('adapted', 'available', 'ready') },
    currentReplicas: lowest('current'),
    updatedReplicas: {
      ...lowest('updated.lowest'),
      ...departing('largest-shortfall', 'updated', 'notUpdated'),
    },
    currentRevision: oneWec('revisions'),
    updateRevision: oneWec('revisions'),
  },
  literal: ({ replicas, ready, available, current, updated, revisions }) => ({
    replicas,
    readyReplicas: ready.lowest,
    availableReplicas: available,
    currentReplicas: current,
    updatedReplicas: updated.lowest,
    ...revisions,
  }),
  departure(part, { workload }) {
    const ready = part.ready.inWds;
    const least = part.notUpdated === 0 ? askedIn(workload['spec']) : 0;
    const updated = Math.max(part.updated.inWds, least);
    return {
      readyReplicas: ready,
      updatedReplicas: updated,
      // Argo CD does not read these two fields, so they are adapted.
      replicas: Math.max(part.replicas, part.current, ready, updated),
      availableReplicas: Math.min(part.available, ready),
    };
  },
  accepts: fits('readyReplicas', 'availableReplicas', 'currentReplicas', 'updatedReplicas'),
});
