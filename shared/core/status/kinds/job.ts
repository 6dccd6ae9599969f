import { assessJob } from '#shared/core/health/job.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  conditions,
  count,
  deciding,
  minimum,
  time,
  withDeciding,
} from '#shared/core/status/component.ts';
import { conditionsOf, isTrueIn, withPreconditions } from '#shared/core/status/job-conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { compareTimes, laterTime } from '#shared/core/status/time-order.ts';

/** Whether the WEC has a condition of one of these types, whatever its status: all that Argo CD looks at. */
function has(...types: readonly string[]) {
  return ({ status }: RowFacts): boolean =>
    conditionsOf(status).some(({ type }) => types.some((one) => one === type));
}

/**
 * Whether an API server takes the status (Kubernetes 1.31 to 1.36, ValidateJobUpdateStatus): what a True Complete or
 * Failed needs stands beside it, a Job ends one way only, and it has a `completionTime` where it is Complete.
 */
function accepts(status: JsonObject): boolean {
  const list = conditionsOf(status);
  const says = (...types: readonly string[]): boolean => types.some((type) => isTrueIn(list, type));
  return (
    (says('FailureTarget') || !says('Failed')) &&
    (says('SuccessCriteriaMet') || !says('Complete')) &&
    !(says('Complete', 'SuccessCriteriaMet') && says('Failed', 'FailureTarget')) &&
    says('Complete') === 'completionTime' in status
  );
}

function earlierTime(a: string, b: string): string {
  return compareTimes(a, b) > 0 ? b : a;
}

/**
 * The rule for batch/v1 Jobs, over all qualified WECs: the letter of the proposal, and where an API server would refuse
 * it, or Argo CD's verdict on it would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4),
 * as few as needed of the conditions below. Argo CD looks for entries and not at their status (so any Failed is enough,
 * J3), and one is left out rather than made Unknown:
 *
 * - `Complete`: only where every WEC has it: one that still runs keeps all Progressing (J1, J9).
 * - `Suspended`: only where every WEC has it or Complete (J4, J5); True where any says True (J11), also in a second entry.
 * - What is True needs another condition to be True: see `withPreconditions`.
 *
 * The proposal is silent about times. `startTime` is the earliest; `completionTime` the latest, only with Complete=True,
 * as API servers demand. Other fields (`ready`, `terminating`, indexes, uncounted pods) are not aggregated: Argo CD does
 * not read them.
 */
export const jobRule = kindRule({
  assess: assessJob,
  readsGeneration: false,
  components: {
    active: minimum('active'),
    succeeded: minimum('succeeded'),
    failed: minimum('failed'),
    startTime: time('startTime', earlierTime),
    completionTime: time('completionTime', laterTime),
    conditions: conditions(),
    suspended: deciding('Suspended', ({ status }) => status === 'True'),
    complete: count(has('Complete')),
    settled: count(has('Complete', 'Suspended')),
  },
  literal: (part) => ({
    conditions: part.conditions,
    startTime: part.startTime,
    completionTime: isTrueIn(part.conditions, 'Complete') ? part.completionTime : '',
    active: part.active,
    succeeded: part.succeeded,
    failed: part.failed,
  }),
  departure(part, { rows }) {
    const shown: ReadonlyMap<unknown, boolean> = new Map([
      ['Complete', part.complete === rows],
      ['Suspended', part.settled === rows],
    ]);
    const list = withDeciding(part.conditions, part.suspended, { status: 'True' });
    return { conditions: withPreconditions(list.filter(({ type }) => shown.get(type) ?? true)) };
  },
  accepts,
});
