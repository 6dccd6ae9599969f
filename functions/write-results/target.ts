import type { JsonValue } from '#shared/core/json.ts';
import type { Subject } from '#shared/core/subject.ts';
import type { HintMessage } from '#shared/messages/dirty.ts';
import type { Applied, Head } from '#shared/state/head.ts';
import type { WriteDeps } from './deps.ts';

/** The outcome to record: the hashes, and what the status of Bindings has to report. */
export type Outcome = Omit<Applied, 'revision' | 'hash' | 'writtenMs'>;

/** How to read the objects of one subject, and how to write the desired result to them. */
export interface Target<Current> {
  /** Reads the objects from the cluster. */
  read(): Promise<Current>;
  /**
   * Whether the objects stay as they are as long as not all sources have reported: Starfold has written them before, or there
   * is nothing to add to them. Absent: an incomplete result removes nothing.
   *
   * @param hasListed for a workload object: whether its WDS has completed a listing in this state. If not, the object may have
   *   CombinedStatuses that are not among the objects that were read.
   */
  isLeft?(current: Current, hasListed: boolean): boolean;
  /**
   * Reports to users why the objects stay as they are. Nothing else changes, and nothing counts as applied.
   *
   * @param head the head, read after the objects
   */
  hold?(current: Current, head: Head): Promise<void>;
  /** Whether every object is as it was after this very result was applied. */
  isAsApplied(current: Current): boolean;
  /**
   * Writes the differences, each object on the resourceVersion that was read.
   *
   * @throws ApiConflictError and ApiNotFoundError if an object has changed since it was read: start again.
   */
  write(current: Current): Promise<Outcome>;
  /** Runs after the outcome was recorded. */
  settled?(applied: Applied): Promise<void>;
}

/** The input of a target: the desired result, what was applied before, and further objects to compare. */
export interface Assignment<S extends Subject> {
  readonly deps: WriteDeps;
  readonly subject: S;
  readonly desired: JsonValue;
  readonly applied: Applied;
  readonly objects: HintMessage['objects'];
}
