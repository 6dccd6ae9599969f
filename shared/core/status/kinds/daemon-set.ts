import { countAt } from '#shared/core/health/count-at.ts';
import { assessDaemonSet } from '#shared/core/health/daemon-set.ts';
import { maximum, minimum } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { missingOf } from './replicas.ts';

const desiredIn = ({ status }: RowFacts): number => countAt(status, 'desiredNumberScheduled');

/**
 * The rule for apps/v1 DaemonSets, over all qualified WECs: the letter of the proposal, and where Argo CD's verdict on it
 * would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), another
 * `desiredNumberScheduled`. That is how many nodes a cluster has for it, which differs from WEC to WEC: the lowest would
 * hide a WEC that lacks pods (DS1, DS2), the highest would never be reached (DS3). It then exceeds the updated or the
 * available pods by as many as the worst WEC lacks. Where a WEC lacks some and is healthy all the same (its own strategy
 * is OnDelete, the WDS's is not), it is what all have.
 *
 * `collisionCount` is not aggregated: Argo CD does not read it.
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
