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
import { expensiveCollectors, sizesText } from './expensive-inputs.ts';
import { hintUnlessApplied, settle } from './settle.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;
type Owner = Extract<Subject, { type: 'binding' | 'collector' }>;

/** The content of the own status of an object that has never had a desired status. */
const NO_STATUS: Readonly<Record<Owner['type'], Readonly<Record<string, JsonValue>>>> = {
  binding: { missingCollectors: [], errors: [], policyErrors: [] },
  collector: { observedGeneration: 0, errors: [] },
};

const AGAIN = 'it is retried after a minute, then after longer pauses of up to an hour';
const UP_TO = 'of up to five minutes if';
const WHEN_CHANGED = `${UP_TO} its Bindings or their StatusCollectors have changed`;

async function workloadText(
  deps: AggregateDeps,
  subject: WorkloadSubject,
  largest: readonly SizedRow[],
): Promise<string> {
  const expensive = await expensiveCollectors(deps, subject);
  const sizes = largest.length === 0 ? '' : `; it read as the largest: ${sizesText(largest)}`;
  const remedies = [
    ...(expensive === '' ? [] : [`simplify the most expensive StatusCollectors: ${expensive}`]),
    `reduce the size of its statuses in the WECs${sizes}`,
  ];
  return `${workloadTitle(subject.workload)} is set aside because aggregating it stopped the process twice (timeout or out of memory); ${AGAIN}, or ${WHEN_CHANGED}; ${remedies.join('; or ')}`;
}

/** An error that begins so is replaced. An earlier release may have worded it otherwise. */
const OWN_START = 'set aside';
const OWN_TEXT = `${OWN_START} because evaluating it stopped the process twice (timeout or out of memory); ${AGAIN}, or ${UP_TO} it has changed; reduce the size of its spec, or simplify its expressions`;

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
    const others = (isArray(errors) ? errors : []).filter(
      (error) => !String(error).startsWith(OWN_START),
    );
    const desired = { ...status, errors: [OWN_TEXT, ...others] };
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
  deps.telemetry.warn('set aside: aggregating it has ended the process', {
    ...subjectFields(subject),
    since: new Date(entry.sinceMs).toISOString(),
    nextTry: new Date(nextTryMs(entry)).toISOString(),
    times: entry.times,
  });
  if (subject.type === 'workload') {
    const errors = [await workloadText(deps, subject, largest)];
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
  deps.telemetry.info('no longer set aside', subjectFields(subject));
  if (subject.type === 'workload') await reportToBindings(deps, subject, { entry, errors: [] });
}
