import { countAt } from '#shared/core/health/count-at.ts';
import { assessDeployment, DEADLINE_EXCEEDED } from '#shared/core/health/deployment.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  conditions,
  count,
  deciding,
  maximum,
  minimum,
  withDeciding,
} from '#shared/core/status/component.ts';
import { condition, departing, lowest } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { fits, missingOf, replicaCount, wantsAnother } from './replicas.ts';

/** The only type of condition that Argo CD reads. */
const PROGRESSING = 'Progressing';

/** A passed deadline decides if it is the verdict on the WEC. */
function decides(entry: JsonObject, { verdict }: RowFacts): boolean {
  return verdict === 'Degraded' && entry['reason'] === DEADLINE_EXCEEDED;
}

/**
 * In any other WEC (it has not seen the current generation, or is paused), the reason is renamed, because Argo CD only
 * reads the reason (D11).
 */
function renamed(entry: JsonObject): JsonObject {
  const isStale = entry['type'] === PROGRESSING && entry['reason'] === DEADLINE_EXCEEDED;
  return isStale ? { ...entry, reason: `Stale${DEADLINE_EXCEEDED}` } : entry;
}

const updatedIn = ({ status }: RowFacts): number => countAt(status, 'updatedReplicas');

/**
 * The rule for apps/v1 Deployments, over all qualified WECs: exactly the proposal. If Argo CD's verdict on it would not
 * be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), as few as needed of these are changed:
 *
 * - `updatedReplicas`, `availableReplicas`: if a current WEC is known to want another number of replicas than the WDS,
 *   what the WDS wants minus the largest shortfall of a WEC (D8).
 * - `replicas`: the updated ones and the most old ones that a WEC still has (D2, D3).
 * - `readyReplicas`: a value between `availableReplicas` and `replicas`.
 * - Progressing: a passed deadline decides (D4, D11).
 *
 * Other fields (`terminatingReplicas`, `collisionCount`) are not aggregated, because Argo CD does not read them.
 *
 * A status cannot express two things: a WDS object that is paused is Suspended with any WECs; and a WEC whose own
 * object is paused (Suspended there) makes the aggregate of finished WECs Progressing, so that it is not better.
 */
export const deploymentRule = kindRule({
  assess: assessDeployment,
  readsGeneration: true,
  components: {
    replicas: minimum('replicas'),
    updated: replicaCount('updatedReplicas'),
    ready: minimum('readyReplicas'),
    available: minimum('availableReplicas'),
    unavailable: minimum('unavailableReplicas'),
    old: maximum(({ status }) =>
      Math.max(countAt(status, 'replicas') - countAt(status, 'updatedReplicas'), 0),
    ),
    differing: count(wantsAnother),
    updatedNotAvailable: maximum(missingOf(updatedIn, 'availableReplicas')),
    conditions: conditions(),
    exceeded: deciding(PROGRESSING, decides),
  },
  documentation: 'rules.md#deployment',
  fields: {
    replicas: { ...lowest('replicas'), ...departing('old-and-updated', 'updated', 'old') },
    updatedReplicas: {
      ...lowest('updated.lowest'),
      ...departing('largest-shortfall', 'updated.shortfall', 'updated.differs'),
    },
    readyReplicas: { ...lowest('ready'), ...departing('adapted', 'ready', 'available') },
    availableReplicas: {
      ...lowest('available'),
      ...departing('largest-shortfall', 'updatedNotAvailable', 'updated', 'differing'),
    },
    unavailableReplicas: lowest('unavailable'),
    'conditions[Progressing]': {
      ...condition('conditions'),
      ...departing('deciding-entry', 'conditions', 'exceeded'),
    },
    conditions: condition('conditions'),
  },
  literal: ({ replicas, updated, ready, available, unavailable, conditions: list }) => ({
    replicas,
    updatedReplicas: updated.lowest,
    readyReplicas: ready,
    availableReplicas: available,
    unavailableReplicas: unavailable,
    conditions: list,
  }),
  departure(part) {
    const updated = part.updated.inWds;
    const replicas = updated + part.old;
    const available =
      part.differing === 0 ? part.available : Math.max(updated - part.updatedNotAvailable, 0);
    const availableReplicas = Math.min(available, replicas);
    return {
      replicas,
      updatedReplicas: updated,
      // Argo CD does not read this field, so it is adapted to the others.
      readyReplicas: Math.min(Math.max(part.ready, availableReplicas), replicas),
      availableReplicas,
      conditions:
        part.exceeded === null
          ? part.conditions.map(renamed)
          : withDeciding(part.conditions, part.exceeded),
    };
  },
  accepts: fits('updatedReplicas', 'readyReplicas', 'availableReplicas'),
});
