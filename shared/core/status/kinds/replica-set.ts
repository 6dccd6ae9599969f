import { assessReplicaSet } from '#shared/core/health/replica-set.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { conditions, deciding, minimum, withDeciding } from '#shared/core/status/component.ts';
import { condition, departing, lowest } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { fits, replicaCount } from './replicas.ts';

/**
 * A ReplicaFailure that is True takes precedence over newer entries (R2, R3) if it is the verdict on the WEC. In a WEC
 * that is not current, it does not describe the current generation.
 */
function decides({ status }: JsonObject, { verdict }: RowFacts): boolean {
  return verdict === 'Degraded' && status === 'True';
}

/**
 * The rule for apps/v1 ReplicaSets, over all qualified WECs: exactly the proposal. If Argo CD's verdict on it would not
 * be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), as few as needed of these are changed:
 *
 * - `availableReplicas`: if a current WEC is known to want another number of replicas than the WDS, what the WDS wants
 *   minus the largest shortfall of a WEC (D8). `readyReplicas` and `replicas` are then no less.
 * - ReplicaFailure: True if a current WEC has it, regardless of what the others report (R1-R3).
 *
 * `terminatingReplicas` is not aggregated, because Argo CD does not read it.
 */
export const replicaSetRule = kindRule({
  assess: assessReplicaSet,
  readsGeneration: true,
  shownAtZero: ['replicas'],
  components: {
    replicas: minimum('replicas'),
    labeled: minimum('fullyLabeledReplicas'),
    ready: minimum('readyReplicas'),
    available: replicaCount('availableReplicas'),
    conditions: conditions(),
    failure: deciding('ReplicaFailure', decides),
  },
  documentation: 'rules.md#replicaset',
  fields: {
    replicas: {
      ...lowest('replicas'),
      ...departing('adapted', 'replicas', 'labeled', 'ready', 'available'),
    },
    fullyLabeledReplicas: lowest('labeled'),
    readyReplicas: { ...lowest('ready'), ...departing('adapted', 'ready', 'available') },
    availableReplicas: {
      ...lowest('available.lowest'),
      ...departing('largest-shortfall', 'available.shortfall', 'available.differs'),
    },
    'conditions[ReplicaFailure]': {
      ...condition('conditions'),
      ...departing('deciding-entry', 'conditions', 'failure'),
    },
    conditions: condition('conditions'),
  },
  literal: ({ replicas, labeled, ready, available, conditions: list }) => ({
    replicas,
    fullyLabeledReplicas: labeled,
    readyReplicas: ready,
    availableReplicas: available.lowest,
    conditions: list,
  }),
  departure(part) {
    const available = part.available.inWds;
    const ready = Math.max(part.ready, available);
    return {
      availableReplicas: available,
      // Argo CD does not read these two fields, so they are adapted.
      readyReplicas: ready,
      replicas: Math.max(part.replicas, part.labeled, ready),
      conditions: withDeciding(part.conditions, part.failure, { status: 'True' }),
    };
  },
  accepts: fits('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'),
});
