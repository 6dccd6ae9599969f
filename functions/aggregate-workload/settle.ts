import { contentHash } from '#shared/content-hash.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { encodeHint } from '#shared/messages/dirty.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
import {
  type Head,
  putHead,
  putResult,
  RESULT,
  readApplied,
  removeOldResults,
} from '#shared/state/head.ts';
import { removeTimedSubject } from '#shared/state/silent-after.ts';
import type { AggregateDeps } from './deps.ts';

/** The result of an aggregation, and the head with the revision that it read first. */
export interface Finding {
  /** The head as it was read first. */
  readonly head: Head;
  /** The desired result for the WDS. */
  readonly desired: JsonValue;
  /** The other fields that the head is to keep. */
  readonly kept: Partial<
    Pick<
      Head,
      | 'shards'
      | 'layoutRevision'
      | 'consumed'
      | 'errorBindings'
      | 'noted'
      | 'destinations'
      | 'families'
      | 'version'
      | 'awaits'
      | 'awaited'
      | 'whole'
      | 'unnamedMs'
      | 'named'
      | 'census'
      | 'silentAfterMs'
      | 'verdict'
      | 'verdictBefore'
    >
  >;
}

/**
 * Stores a finding as the desired result, on condition that the revision is still the one that was read. The condition also
 * holds if nothing changed. Otherwise a slower aggregator with older rows would succeed later (docs/architecture.md, section 5,
 * "The protocol", rule 2).
 *
 * @returns the new head, or `undefined` if another process was faster. The caller starts again.
 */
export async function settle(
  deps: AggregateDeps,
  subject: Subject,
  finding: Finding,
): Promise<Head | undefined> {
  const { head, desired, kept } = finding;
  const pk = subjectPartition(subject);
  const text = RESULT.encode(desired);
  const hash = contentHash(text);
  const revision = head.revision + 1;
  const isNew = hash !== head.hash;
  const result = isNew
    ? {
        resultRevision: revision,
        resultChunks: await putResult(deps.store, pk, { revision, hash, text }),
      }
    : {};
  const next: Head = { ...head, ...kept, ...result, revision, hash };
  if (!(await putHead(deps.store, pk, next))) return undefined;
  if (isNew && head.hash !== undefined) await removeOldResults(deps.store, pk, next);
  deps.telemetry.count('Folds');
  deps.telemetry.debug('aggregated', { ...subjectFields(subject), revision, isNew });
  return next;
}

/**
 * Removes the note of the previous time of the subject, if the head that was put has another time or none. If the process
 * crashes before the removal, the note stays, which costs an occasional message.
 */
export async function forgetTime(
  deps: AggregateDeps,
  { pk, head }: { readonly pk: string; readonly head: Head },
  formerTime: number | undefined,
): Promise<void> {
  if (formerTime === undefined || formerTime === head.silentAfterMs) return;
  const former = { partition: pk, silentAfterMs: formerTime };
  await removeTimedSubject(deps.store, former, head.revision);
}

/** Notifies the writer, unless exactly this result was applied last. */
export async function hintUnlessApplied(
  deps: AggregateDeps,
  subject: Subject,
  { head, change }: { readonly head: Head; readonly change: ChangeTime },
): Promise<void> {
  const applied = await readApplied(deps.store, subjectPartition(subject));
  if (applied.hash === head.hash) return;
  await deps.hints.send([
    encodeHint({ subject, objects: [], ...change }, `revision ${head.revision}`),
  ]);
}
