import { assessJob } from '#shared/core/health/job.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { conditions, count, minimum, time } from '#shared/core/status/component.ts';
import type { ConditionReport } from '#shared/core/status/conditions.ts';
import { conditionsOf, isTrueIn, withPreconditions } from '#shared/core/status/job-conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';
import { compareTimes, laterTime } from '#shared/core/status/time-order.ts';

/** Types of condition of which any True is True: what went wrong, and that something stands still (J11). */
const TRUE_WINS: ReadonlySet<string> = new Set(['Failed', 'FailureTarget', 'Suspended']);

/** Types of which Argo CD and API servers look for any entry that is True, were there several in one list. */
const LOOKED_FOR: ReadonlySet<unknown> = new Set([...TRUE_WINS, 'Complete', 'SuccessCriteriaMet']);

/** The True entry gives the reason, also where another WEC's entry is newer. */
function report(type: string, entry: JsonObject): ConditionReport {
  return { entry, decisive: TRUE_WINS.has(type) && entry['status'] === 'True' };
}

function isTrue(entry: JsonValue): boolean {
  return LOOKED_FOR.has(member(entry, 'type')) && member(entry, 'status') === 'True';
}

/** The True entries first. */
function trueFirst(entries: readonly JsonValue[]): readonly JsonValue[] {
  return entries.toSorted((a, b) => Number(isTrue(b)) - Number(isTrue(a)));
}

/** Whether the WEC has a condition of one of these types, whatever its status: all that Argo CD looks at. */
function has(...types: readonly string[]) {
  return ({ status }: RowFacts): boolean =>
    conditionsOf(status).some(({ type }) => types.some((one) => one === type));
}

function earlierTime(a: string, b: string): string {
  return compareTimes(a, b) > 0 ? b : a;
}

/**
 * The rule for batch/v1 Jobs, over all qualified WECs (Multi-WEC Aggregated Status; docs/architecture.md, section 9.4).
 * Argo CD looks for entries of conditions and not at their status, so an entry is left out rather than made Unknown:
 *
 * - `Failed`, `FailureTarget`: where any WEC has it, True where any says so (J3).
 * - `Complete`: only where every WEC has it: one that still runs keeps all Progressing (J1, J9), and none has failed (J2).
 *   `SuccessCriteriaMet` only beside it as True: neither can be withdrawn for a WEC that joins later.
 * - `Suspended`: only where every WEC has it or Complete (J4, J5); True where any says True (J11).
 * - other conditions: see `finishConditions`. Of several entries of one of these types in a WEC one that is True counts,
 *   since Argo CD reads all of them. What is True needs another condition to be True: see `withPreconditions`.
 * - `active`, `succeeded`, `failed`: the lowest; Argo CD does not read them.
 * - `startTime`: the earliest; `completionTime`: the latest, only with Complete=True, as API servers demand.
 * - Other fields (`ready`, `terminating`, indexes, uncounted pods) are not aggregated: Argo CD does not read them.
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
    conditions: conditions({ failureTypes: TRUE_WINS, read: trueFirst, report }),
    complete: count(has('Complete')),
    settled: count(has('Complete', 'Suspended')),
  },
  finish(part, { rows }) {
    const isSaid = part.complete === rows;
    const isComplete = isSaid && isTrueIn(part.conditions, 'Complete');
    const shown: ReadonlyMap<unknown, boolean> = new Map([
      ['Complete', isSaid],
      ['SuccessCriteriaMet', isComplete],
      ['Suspended', part.settled === rows],
    ]);
    const list = part.conditions.filter(({ type }) => shown.get(type) ?? true);
    return {
      conditions: withPreconditions(list),
      startTime: part.startTime,
      completionTime: isComplete ? part.completionTime : '',
      active: part.active,
      succeeded: part.succeeded,
      failed: part.failed,
    };
  },
});
