import { assessCronJob } from '#shared/core/health/cron-job.ts';
import { isWorse } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

/** Whether Argo CD would judge the WEC's status worse in the WDS: the WEC is suspended on its own. */
function looksWorseInWds({ workload, status, verdict }: RowFacts): boolean {
  return isWorse(assessCronJob({ ...workload, status }).status, verdict);
}

function rank(facts: RowFacts): readonly number[] {
  const { verdict, missing, status } = facts;
  const neverSucceeded = (status['lastSuccessfulTime'] ?? null) === null;
  const last = [Number(!missing), Number(neverSucceeded)];
  return [badness(verdict), Number(!looksWorseInWds(facts)), ...last];
}

/** Without the time of its last success, a status that would look worse in the WDS does not: that is Healthy, too. */
function shown(facts: RowFacts): JsonObject {
  const succeeded = looksWorseInWds(facts) ? [] : ['lastSuccessfulTime'];
  return fieldsOf(facts.status, 'active', 'lastScheduleTime', ...succeeded);
}

/**
 * The rule for batch/v1 CronJobs, over all qualified WECs (Multi-WEC Aggregated Status; docs/architecture.md, section
 * 9.4): `lastScheduleTime`, `lastSuccessfulTime` and `active` are copied together from the WEC that looks worst to Argo
 * CD. They only mean something side by side: of two WECs of which one has failed its last run, the latest of each time
 * hides the failure (C1), and so does the earliest (C2). Of WECs that look equally bad: one that has said something,
 * then one that never succeeded, then the first by name. The jobs in `active` are those of that WEC.
 *
 * A WEC that is suspended on its own is Healthy whatever its times say. It stands for all only where the others are no
 * better, and then without `lastSuccessfulTime` where that would make the WDS's object Degraded.
 *
 * Two things no status can say: that a WEC has returned nothing, or is deleting its object (API servers show a CronJob
 * without a status as one that was never scheduled, which is Healthy); and anything while the WDS's object is suspended.
 */
export const cronJobRule = kindRule({
  assess: assessCronJob,
  readsGeneration: false,
  components: { worst: witness(rank, shown) },
  literal: ({ worst }) => worst,
});
