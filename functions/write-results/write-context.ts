import type { Subject } from '#shared/core/subject.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { Applied, OwnedHashes } from '#shared/state/head.ts';
import type { WriteDeps } from './deps.ts';

/** What the writes for one workload object share. */
export interface WriteContext {
  readonly deps: WriteDeps;
  readonly api: ObjectApi;
  readonly wds: string;
  readonly subject: Extract<Subject, { type: 'workload' }>;
  /** What was applied before. */
  readonly applied: Applied;
  /** Collects what the API server refuses, in its own words: one refused object does not keep back the others. */
  readonly refusals: string[];
}

/** Whether what is wanted, and what stands there, are what was recorded after the last write. */
export function isAsApplied(known: OwnedHashes | undefined, now: OwnedHashes): boolean {
  return (
    known?.want === now.want &&
    known.observed === now.observed &&
    known.labelsOnly === now.labelsOnly
  );
}
