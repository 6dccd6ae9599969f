import { assessCronJob } from '#shared/core/health/cron-job.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

function rank({ verdict, missing, status }: RowFacts): readonly number[] {
  const neverSucceeded = (status['lastSuccessfulTime'] ?? null) === null;
  return [badness(verdict), Number(!missing), Number(neverSucceeded)];
}

/**
 * The rule for batch/v1 CronJobs, over all qualified WECs (Multi-WEC Aggregated Status; design, section 9.4):
 * `lastScheduleTime`, `lastSuccessfulTime` and `active` are copied together from the WEC that looks worst to Argo CD.
 * They only mean something side by side: of two WECs of which one has failed its last run, the latest of each time hides
 * the failure (C1), and so does the earliest (C2). Of WECs that look equally bad: one that has said something, then one
 * that never succeeded, then the first by name. The jobs in `active` are those of that WEC.
 */
export const cronJobRule = kindRule({
  assess: assessCronJob,
  readsGeneration: false,
  components: {
    worst: witness(rank, ({ status }) =>
      fieldsOf(status, 'active', 'lastScheduleTime', 'lastSuccessfulTime'),
    ),
  },
  finish: ({ worst }) => worst,
});
