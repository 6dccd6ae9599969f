import { countAt } from '#shared/core/health/count-at.ts';
import { assessDaemonSet } from '#shared/core/health/daemon-set.ts';
import { maximum, minimum } from '#shared/core/status/component.ts';
import { departing, lowest } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { missingOf } from './replicas.ts';

const desiredIn = ({ status }: RowFacts): number => countAt(status, 'desiredNumberScheduled');

/**
 * The rule for apps/v1 DaemonSets, over all qualified WECs: exactly the proposal. If Argo CD's verdict on it would not
 * be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), `desiredNumberScheduled` is changed.
 * This is the number of nodes for the DaemonSet in a cluster, which differs between WECs. The lowest number would hide
 * a WEC that lacks pods (DS1, DS2), and the highest would never be reached (DS3). The changed number exceeds the
 * updated or the available pods by as many as the worst WEC lacks. If a WEC lacks some and is still healthy (its own
 * strategy is OnDelete, the WDS's is not), the number is what all have.
 *
 * `collisionCount` is not aggregated, because Argo CD does not read it.
 */
export const daemonSetRule = kindRule({
  assess: assessDaemonSet,
  readsGeneration: true,
  shownAtZero: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
  ],
  components: {
    current: minimum('currentNumberScheduled'),
    ready: minimum('numberReady'),
    available: minimum('numberAvailable'),
    updated: minimum('updatedNumberScheduled'),
    desired: minimum(desiredIn),
    notUpdated: maximum(missingOf(desiredIn, 'updatedNumberScheduled')),
    notAvailable: maximum(missingOf(desiredIn, 'numberAvailable')),
    misscheduled: minimum('numberMisscheduled'),
    unavailable: minimum('numberUnavailable'),
  },
  documentation: 'rules.md#daemonset',
  fields: {
    currentNumberScheduled: lowest('current'),
    numberMisscheduled: lowest('misscheduled'),
    desiredNumberScheduled: {
      ...lowest('desired'),
      ...departing('largest-shortfall', 'updated', 'notUpdated', 'available', 'notAvailable'),
    },
    numberReady: lowest('ready'),
    updatedNumberScheduled: lowest('updated'),
    numberAvailable: lowest('available'),
    numberUnavailable: lowest('unavailable'),
  },
  literal: ({ current, misscheduled, desired, ready, updated, available, unavailable }) => ({
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: unavailable,
  }),
  departure(part, { worst }) {
    const { available, updated } = part;
    const desired =
      worst === 'Healthy'
        ? Math.min(part.desired, updated, available)
        : Math.max(updated + part.notUpdated, available + part.notAvailable);
    return { desiredNumberScheduled: desired };
  },
});
