import { assessStatefulSet } from '#shared/core/health/stateful-set.ts';
import { at, isObject, type JsonValue } from '#shared/core/json.ts';
import { fieldsOf, maximum, minimum, witness } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { fits, missingOf, replicaCount, replicasIn } from './replicas.ts';

/** How many replicas Argo CD wants to see updated: those above the partition, which only rolling updates have. */
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
 * Whose pair stands for all: first a WEC that goes from one revision to another, then one that has arrived. A WEC whose
 * own strategy makes Argo CD call it healthy on the way does not count where the WDS's strategy would make it wait.
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
 * The rule for apps/v1 StatefulSets, over all qualified WECs: the letter of the proposal, and where Argo CD's verdict on
 * it would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), as few as needed of:
 *
 * - `readyReplicas`, `updatedReplicas`: what the WDS wants less the largest shortfall of a WEC, where a current WEC is
 *   known to want another number of replicas than the WDS (D8). `updatedReplicas` is at least what the WDS's partition
 *   asks for where every WEC has what its own asks for.
 * - `replicas` is then no less than these, `availableReplicas` no more than the ready ones.
 *
 * The proposal is silent about texts. `currentRevision` and `updateRevision` are copied together from one WEC, one that
 * goes from one revision to another where there is any. They are hashes that each cluster computes for itself: one by one
 * they would be left out as different, which looks finished (S1). `collisionCount` is not aggregated: Argo CD does not
 * read it.
 *
 * What the WDS wants of a partition may be nothing (it is as high as the number of replicas) while a WEC's own asks for
 * something: no counter can say that, and the aggregate is held back (K6).
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
      // Argo CD does not read these two, so they give way.
      replicas: Math.max(part.replicas, part.current, ready, updated),
      availableReplicas: Math.min(part.available, ready),
    };
  },
  accepts: fits('readyReplicas', 'availableReplicas', 'currentReplicas', 'updatedReplicas'),
});
