import type { Subject } from '#shared/core/subject.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { Applied, OwnedHashes } from '#shared/state/head.ts';
import type { WriteDeps } from './deps.ts';

/** What the writes of one workload object have in common. */
export interface WriteContext {
  readonly deps: WriteDeps;
  readonly api: ObjectApi;
  readonly wds: string;
  readonly subject: Extract<Subject, { type: 'workload' }>;
  /** What was applied before. */
  readonly applied: Applied;
}

/** Hashes with the rejections by the API server. A rejected object does not block the others, and is not retried. */
export function withRefusals(hashes: OwnedHashes, refused: readonly string[]): OwnedHashes {
  return refused.length === 0 ? hashes : { ...hashes, refused };
}

/** Whether the wanted and the observed hashes are those that were recorded after the last write. */
export function isAsApplied(known: OwnedHashes | undefined, now: OwnedHashes): boolean {
  return (
    known?.want === now.want &&
    known.observed === now.observed &&
    known.labelsOnly === now.labelsOnly
  );
}
