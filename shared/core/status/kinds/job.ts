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
import { condition, departing, lowest } from '#shared/core/status/field-rules.ts';
import { conditionsOf, isTrueIn, withPreconditions } from '#shared/core/status/job-conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { earlierTime, laterTime } from '#shared/core/status/time-order.ts';

/** Whether the WEC has a condition of one of these types with any status. This is all that Argo CD reads. */
function has(...types: readonly string[]) {
  return ({ status }: RowFacts): boolean =>
    conditionsOf(status).some(({ type }) => types.some((one) => one === type));
}

/**
 * Whether an API server accepts the status (Kubernetes 1.31 to 1.36, ValidateJobUpdateStatus): a True Complete or
 * Failed has the condition that it needs, a Job ends in only one way, and it has a `completionTime` if it is Complete.
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

/**
 * The rule for batch/v1 Jobs, over all qualified WECs: exactly the proposal. If an API server would reject it, or if
 * Argo CD's verdict on it would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), as
 * few as needed of the conditions below are changed. Argo CD looks for entries and not at their status. Any Failed is
 * therefore enough (J3), and an entry is left out instead of being set to Unknown:
 *
 * - `Complete`: only if every WEC has it. A WEC that is still running keeps the aggregate Progressing (J1, J9).
 * - `Suspended`: only if every WEC has it or Complete (J4, J5). True if it is True in any WEC (J11), even in a second
 *   entry.
 * - A True condition may need another condition to be True: see `withPreconditions`.
 *
 * The proposal does not define times. `startTime` is the earliest. `completionTime` is the latest, only with
 * Complete=True, as API servers require. Other fields (`ready`, `terminating`, indexes, uncounted pods) are not
 * aggregated, because Argo CD does not read them.
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
  documentation: 'rules.md#job',
  fields: {
    active: lowest('active'),
    succeeded: lowest('succeeded'),
    failed: lowest('failed'),
    startTime: { letter: { rule: 'earliest', from: ['startTime'] } },
    completionTime: { letter: { rule: 'latest', from: ['completionTime'] } },
    'conditions[Complete]': {
      ...condition('conditions'),
      ...departing('all-have-it', 'conditions', 'complete'),
    },
    'conditions[Suspended]': {
      ...condition('conditions'),
      ...departing('all-have-it', 'conditions', 'settled', 'suspended'),
    },
    'conditions[FailureTarget]': {
      ...condition('conditions'),
      ...departing('precondition', 'conditions'),
    },
    'conditions[SuccessCriteriaMet]': {
      ...condition('conditions'),
      ...departing('precondition', 'conditions'),
    },
    conditions: condition('conditions'),
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
