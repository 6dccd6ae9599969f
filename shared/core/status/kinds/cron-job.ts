import { assessCronJob } from '#shared/core/health/cron-job.ts';
import { isWorse } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { oneWec } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

/** Whether Argo CD would judge the WEC's status worse in the WDS, because only the WEC's object is suspended. */
function looksWorseInWds({ workload, status, verdict }: RowFacts): boolean {
  return isWorse(assessCronJob({ ...workload, status }).status, verdict);
}

function rank(facts: RowFacts): readonly number[] {
  const { verdict, missing, status } = facts;
  const neverSucceeded = (status['lastSuccessfulTime'] ?? null) === null;
  const last = [Number(!missing), Number(neverSucceeded)];
  return [badness(verdict), Number(!looksWorseInWds(facts)), ...last];
}

/**
 * If a status would look worse in the WDS, the time of its last success is left out. Without this time, the verdict is
 * Healthy.
 */
function shown(facts: RowFacts): JsonObject {
  const succeeded = looksWorseInWds(facts) ? [] : ['lastSuccessfulTime'];
  return fieldsOf(facts.status, 'active', 'lastScheduleTime', ...succeeded);
}

/**
 * The rule for batch/v1 CronJobs, over all qualified WECs (Multi-WEC Aggregated Status; docs/architecture.md, section
 * 9.4). `lastScheduleTime`, `lastSuccessfulTime` and `active` are copied together from the WEC that looks worst to Argo
 * CD, because they only have a meaning together. If one of two WECs has failed its last run, the latest of each time
 * hides the failure (C1), and so does the earliest (C2). Among WECs that look equally bad, one that has reported
 * something goes first, then one that never succeeded, then the first by name. The jobs in `active` are the jobs of
 * that WEC.
 *
 * A WEC whose own object is suspended is Healthy with any times. Its status is used only if the other WECs are no
 * better. `lastSuccessfulTime` is left out if it would make the WDS's object Degraded.
 *
 * A status cannot express two things: that a WEC has returned nothing or is deleting its object (API servers show a
 * CronJob without a status as one that was never scheduled, which is Healthy); and anything while the WDS's object is
 * suspended.
 */
export const cronJobRule = kindRule({
  assess: assessCronJob,
  readsGeneration: false,
  components: { worst: witness(rank, shown) },
  documentation: 'rules.md#cronjob',
  fields: {
    lastScheduleTime: oneWec('worst'),
    lastSuccessfulTime: oneWec('worst'),
    active: oneWec('worst'),
  },
  literal: ({ worst }) => worst,
});
