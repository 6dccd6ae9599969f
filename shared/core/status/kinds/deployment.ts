import { countAt } from '#shared/core/health/count-at.ts';
import { assessDeployment, DEADLINE_EXCEEDED } from '#shared/core/health/deployment.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { conditions, count, maximum, minimum } from '#shared/core/status/component.ts';
import type { ConditionReport } from '#shared/core/status/conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import {
  missingOf,
  REPLICA_FAILURE_TYPES,
  replicaCount,
  reportReplicaFailure,
  wantsAnother,
} from './replicas.ts';

/**
 * A passed deadline decides, where it is the WEC's verdict; in any other WEC (it has not seen the current generation,
 * or is paused) its reason is renamed, as Argo CD reads the reason alone (D11).
 */
function report(type: string, entry: JsonObject, facts: RowFacts): ConditionReport {
  if (type !== 'Progressing' || entry['reason'] !== DEADLINE_EXCEEDED)
    return reportReplicaFailure(type, entry, facts);
  return facts.verdict === 'Degraded'
    ? { entry, decisive: true }
    : { entry: { ...entry, reason: `Stale${DEADLINE_EXCEEDED}` }, decisive: false };
}

const updatedIn = ({ status }: RowFacts): number => countAt(status, 'updatedReplicas');

/**
 * The rule for apps/v1 Deployments, over all qualified WECs: the letter of Multi-WEC Aggregated Status, and Argo CD's
 * verdict on the aggregate is the worst of its verdicts on the WECs (docs/architecture.md, section 9.4).
 *
 * - `readyReplicas`, `availableReplicas`, `updatedReplicas`: the lowest, absent being 0. Where a current WEC is known to
 *   want another number of replicas than the WDS: what the WDS wants less the largest shortfall of a WEC (D8).
 * - `replicas`: those updated and the most old ones that a WEC still has. `unavailableReplicas`: the highest.
 * - `conditions`: see `finishConditions`; ReplicaFailure is a failure type, ProgressDeadlineExceeded a decisive reason.
 * - Other fields (`terminatingReplicas`, `collisionCount`) are not aggregated: Argo CD does not read them.
 *
 * `updated`, `ready`, `available` never exceed `replicas`, nor `available` `ready`: API servers refuse such a status.
 *
 * Two things no status can say: a WDS object that is paused is Suspended whatever its WECs are; a WEC that is paused on
 * its own (Suspended there) makes the aggregate of finished WECs Progressing, so that it is not better.
 */
export const deploymentRule = kindRule({
  assess: assessDeployment,
  readsGeneration: true,
  components: {
    updated: replicaCount('updatedReplicas'),
    ready: replicaCount('readyReplicas'),
    available: minimum('availableReplicas'),
    unavailable: maximum('unavailableReplicas'),
    old: maximum(({ status }) =>
      Math.max(countAt(status, 'replicas') - countAt(status, 'updatedReplicas'), 0),
    ),
    differing: count(wantsAnother),
    updatedNotAvailable: maximum(missingOf(updatedIn, 'availableReplicas')),
    conditions: conditions({ failureTypes: REPLICA_FAILURE_TYPES, report }),
  },
  finish(part) {
    const { updated, ready, unavailable, old, differing, conditions: list } = part;
    const available =
      differing === 0 ? part.available : Math.max(updated - part.updatedNotAvailable, 0);
    const replicas = updated + old;
    const readyReplicas = Math.min(ready, replicas);
    return {
      replicas,
      updatedReplicas: updated,
      readyReplicas,
      availableReplicas: Math.min(available, readyReplicas),
      unavailableReplicas: unavailable,
      conditions: list,
    };
  },
});
