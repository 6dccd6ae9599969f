import { runConcurrently } from '#shared/concurrency.ts';
import type { WorkloadError } from '#shared/core/binding/workload-errors.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { type WorkloadRef, workloadKey } from '#shared/core/workload.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { type ErrorOrigin, markErrorsNotified, putErrors } from '#shared/state/error-entries.ts';
import { deliver } from './deliver.ts';

/** The maximum number of concurrent deliveries. */
const AT_A_TIME = 16;

/** The errors that one origin found in a workload object, at one of its revisions. */
export interface WorkloadErrors {
  readonly workload: WorkloadRef;
  readonly origin: ErrorOrigin;
  readonly revision: number;
  /** Every Binding that may have an entry, with its errors. */
  readonly byBinding: ReadonlyMap<string, readonly WorkloadError[]>;
}

/**
 * Stores the errors of a workload object below each of its Bindings, and notifies the Bindings whose entry changed
 * ({@link deliver}). The entry is the note.
 */
export async function reportErrors(
  deps: { readonly store: ItemStore; readonly dirty: MessageSender },
  found: WorkloadErrors,
): Promise<void> {
  const workload = workloadKey(found.workload);
  const reportIn = async (name: string, errors: readonly WorkloadError[]): Promise<void> => {
    const subject: Subject = { type: 'binding', wds: found.workload.wds, name };
    const { origin, revision } = found;
    const report = { bindingPk: subjectPartition(subject), workload, origin, revision, errors };
    await deliver({
      note: async () => ((await putErrors(deps.store, report)) ? [report] : 'outdated'),
      send() {
        const cause = `errors ${workload} ${origin} ${revision}`;
        return deps.dirty.send([encodeDirty({ type: 'subject', subject }, cause)]);
      },
      markSent: () => markErrorsNotified(deps.store, report),
    });
  };
  await runConcurrently(
    [...found.byBinding].map(
      ([name, errors]) =>
        () =>
          reportIn(name, errors),
    ),
    AT_A_TIME,
  );
}
