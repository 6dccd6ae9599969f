import type { WorkloadError } from '#shared/core/binding/workload-errors.ts';
import { isArray, isObject, type JsonValue, member } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { workloadTitle } from '#shared/core/workload.ts';
import { reportErrors } from '#shared/outbox/report-errors.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
import { readHead, readResult } from '#shared/state/head.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import { nextTryMs, type SetAside, type SizedRow } from '#shared/state/set-aside.ts';
import type { AggregateDeps } from './deps.ts';
import { expensiveCollectors } from './expensive-inputs.ts';
import { ASIDE, isOwnAside, NO_LONGER_ASIDE, OWN_ASIDE, workloadAside } from './messages.ts';
import { hintUnlessApplied, settle } from './settle.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;
type Owner = Extract<Subject, { type: 'binding' | 'collector' }>;

/** The content of the own status of an object that has never had a desired status. */
const NO_STATUS: Readonly<Record<Owner['type'], Readonly<Record<string, JsonValue>>>> = {
  binding: { missingCollectors: [], errors: [], policyErrors: [] },
  collector: { observedGeneration: 0, errors: [] },
};

/** A later state takes precedence over an earlier one. The end of a state takes precedence over its beginning. */
function revisionOf({ lastMs }: SetAside, isOver: boolean): number {
  return lastMs * 2 + Number(isOver);
}

function reportToBindings(
  deps: AggregateDeps,
  { workload }: WorkloadSubject,
  { entry, errors }: { readonly entry: SetAside; readonly errors: readonly WorkloadError[] },
): Promise<void> {
  const revision = revisionOf(entry, errors.length === 0);
  const byBinding = new Map(entry.bindings.map((name) => [name, errors]));
  return reportErrors(deps, { workload, origin: 'aside', revision, byBinding });
}

/** Adds the error to the desired status of a Binding or a StatusCollector. */
async function settleOwn(deps: AggregateDeps, subject: Owner): Promise<void> {
  const pk = subjectPartition(subject);
  await retryContention(`${subject.type} ${subject.name}`, async () => {
    const head = await readHead(deps.store, pk);
    const before = await readResult(deps.store, pk, head);
    const status = isObject(before) ? before : NO_STATUS[subject.type];
    const errors = member(status, 'errors');
    const others = (isArray(errors) ? errors : []).filter((error) => !isOwnAside(String(error)));
    const desired = { ...status, errors: [OWN_ASIDE, ...others] };
    const next = await settle(deps, subject, { head, desired, kept: {} });
    if (next === undefined) return false;
    await hintUnlessApplied(deps, subject, { head: next, change: {} });
    return true;
  });
}

/**
 * Reports that a subject is set aside in the `status.errors` of its Bindings, or of the subject itself if it is a Binding or a
 * StatusCollector. Objects of Fleet have no such field. The rest of the status stays.
 *
 * @param largest of a workload object: the largest rows that the process has read before it ended
 * @throws ContentionError
 */
export async function tellSetAside(
  deps: AggregateDeps,
  subject: Subject,
  { entry, largest }: { readonly entry: SetAside; readonly largest: readonly SizedRow[] },
): Promise<void> {
  deps.telemetry.warn(ASIDE, {
    ...subjectFields(subject),
    since: new Date(entry.sinceMs).toISOString(),
    nextTry: new Date(nextTryMs(entry)).toISOString(),
    times: entry.times,
  });
  if (subject.type === 'workload') {
    const expensive = await expensiveCollectors(deps, subject);
    const errors = [workloadAside(workloadTitle(subject.workload), { expensive, largest })];
    await reportToBindings(deps, subject, { entry, errors });
  }
  if (subject.type === 'binding' || subject.type === 'collector') await settleOwn(deps, subject);
}

/**
 * Removes the errors that {@link tellSetAside} has reported. If the subject has a status of its own, the aggregation has
 * already removed the error.
 */
export async function tellTriedWell(
  deps: AggregateDeps,
  subject: Subject,
  entry: SetAside,
): Promise<void> {
  deps.telemetry.info(NO_LONGER_ASIDE, subjectFields(subject));
  if (subject.type === 'workload') await reportToBindings(deps, subject, { entry, errors: [] });
}
