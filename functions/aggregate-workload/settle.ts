import { contentHash } from '#shared/content-hash.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { type ChangeTime, encodeHint } from '#shared/messages/dirty.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
import {
  type Head,
  putHead,
  putResult,
  readApplied,
  removeOldResults,
} from '#shared/state/head.ts';
import { removeTimedSubject } from '#shared/state/silent-after.ts';
import type { AggregateDeps } from './deps.ts';

/** What an aggregation found, on the revision it read before everything else. */
export interface Finding {
  /** The head as it was read first. */
  readonly head: Head;
  /** What the WDS should say now. */
  readonly desired: JsonValue;
  /** What else the head shall keep. */
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
      | 'silentAfterMs'
    >
  >;
}

/**
 * Makes a finding the desired result, on condition that the revision is still the one read, also when nothing changed:
 * otherwise a slower aggregator with older rows would pass later (docs/architecture.md, section 5, "The protocol", rule
 * 2).
 *
 * @returns the new head, or `undefined` when somebody else was faster: start again.
 */
export async function settle(
  deps: AggregateDeps,
  subject: Subject,
  finding: Finding,
): Promise<Head | undefined> {
  const { head, desired, kept } = finding;
  const pk = subjectPartition(subject);
  const text = stringifyJson(desired);
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
 * Removes the note of the time that the subject had before, if the head that was put has another one or none. A crash before
 * that leaves a note, which costs a message now and then.
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

/** Tells the writer, unless exactly this result is what was applied last. */
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
