import { countAt } from '#shared/core/health/count-at.ts';
import { assessDaemonSet } from '#shared/core/health/daemon-set.ts';
import { at } from '#shared/core/json.ts';
import { maximum, minimum } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { missingOf } from './replicas.ts';

const desiredIn = ({ status }: RowFacts): number => countAt(status, 'desiredNumberScheduled');

/**
 * The rule for apps/v1 DaemonSets, over all qualified WECs: the letter of Multi-WEC Aggregated Status, and Argo CD's
 * verdict on the aggregate is the worst of its verdicts on the WECs (docs/architecture.md, section 9.4).
 *
 * - `currentNumberScheduled`, `numberReady`, `numberAvailable`, `updatedNumberScheduled`: the lowest, absent being 0.
 * - `desiredNumberScheduled` is how many nodes a cluster has for it, which differs from WEC to WEC: the lowest would hide
 *   a WEC that lacks pods (DS1, DS2), the highest would never be reached (DS3). So it is the lowest where no WEC lacks
 *   any; else it exceeds the updated or the available pods by as many as the worst WEC lacks. Where a WEC lacks some and
 *   is healthy all the same (its own strategy is OnDelete, the WDS's is not), it is what all have.
 * - `numberMisscheduled`, `numberUnavailable`: the highest.
 * - `collisionCount` is not aggregated: Argo CD does not read it.
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
    misscheduled: maximum('numberMisscheduled'),
    unavailable: maximum('numberUnavailable'),
  },
  finish(part, { workload, worst }) {
    const { current, ready, available, updated, misscheduled, unavailable } = part;
    const onDelete = at(workload['spec'], 'updateStrategy', 'type') === 'OnDelete';
    const desired =
      worst === 'Healthy' && !onDelete
        ? Math.min(part.desired, updated, available)
        : Math.max(updated + part.notUpdated, available + part.notAvailable);
    return {
      currentNumberScheduled: current,
      numberMisscheduled: misscheduled,
      desiredNumberScheduled: desired,
      numberReady: ready,
      updatedNumberScheduled: updated,
      numberAvailable: available,
      numberUnavailable: unavailable,
    };
  },
});
