import { assessReplicaSet } from '#shared/core/health/replica-set.ts';
import { conditions } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import { REPLICA_FAILURE_TYPES, replicaCount, reportReplicaFailure } from './replicas.ts';

/**
 * The rule for apps/v1 ReplicaSets, over all qualified WECs: the letter of Multi-WEC Aggregated Status, and Argo CD's
 * verdict on the aggregate is the worst of its verdicts on the WECs (docs/architecture.md, section 9.4).
 *
 * - `replicas`, `fullyLabeledReplicas`, `readyReplicas`, `availableReplicas`: the lowest, absent being 0 (D1); by the
 *   largest shortfall where a WEC is known to want another number of replicas than the WDS (D8).
 * - `conditions`: see `finishConditions`; ReplicaFailure is a failure type: True where a current WEC has it, whatever the
 *   others say or leave out (R1-R3).
 * - `terminatingReplicas` is not aggregated: Argo CD does not read it.
 *
 * `fullyLabeled`, `ready`, `available` never exceed `replicas`, nor `available` `ready`: API servers refuse such a status.
 */
export const replicaSetRule = kindRule({
  assess: assessReplicaSet,
  readsGeneration: true,
  shownAtZero: ['replicas'],
  components: {
    replicas: replicaCount('replicas'),
    labeled: replicaCount('fullyLabeledReplicas'),
    ready: replicaCount('readyReplicas'),
    available: replicaCount('availableReplicas'),
    conditions: conditions({ failureTypes: REPLICA_FAILURE_TYPES, report: reportReplicaFailure }),
  },
  finish(part) {
    const { replicas, conditions: list } = part;
    const readyReplicas = Math.min(part.ready, replicas);
    return {
      replicas,
      fullyLabeledReplicas: Math.min(part.labeled, replicas),
      readyReplicas,
      availableReplicas: Math.min(part.available, readyReplicas),
      conditions: list,
    };
  },
});
