import type { JsonValue } from '#shared/core/json.ts';
import type { Subject } from '#shared/core/subject.ts';
import type { HintMessage } from '#shared/messages/dirty.ts';
import type { Applied, Head } from '#shared/state/head.ts';
import type { WriteDeps } from './deps.ts';

/** What was done, to be recorded: the hashes now, and what the status of Bindings has to tell. */
export type Outcome = Omit<Applied, 'revision' | 'hash'>;

/** The objects of one subject: how to read them, and how to make them say what is desired. */
export interface Target<Current> {
  /** Reads the objects as they stand in the cluster. */
  read(): Promise<Current>;
  /**
   * Whether what stands is left as it is while what is wanted may be a part of what was known before: it is Starfold's, or
   * there is nothing to add to what is not. Absent: what is wanted does not become less by that.
   */
  isLeft?(current: Current): boolean;
  /**
   * Tells the users of what is left why it is: nothing else of it changes, and nothing counts as applied.
   *
   * @param head as it was after the objects were read
   */
  hold?(current: Current, head: Head): Promise<void>;
  /** Whether every object is as it was when exactly this result was applied. */
  isAsApplied(current: Current): boolean;
  /**
   * Writes what differs from what is desired, each on the resourceVersion that was read.
   *
   * @throws ApiConflictError and ApiNotFoundError when an object has changed since it was read: start again.
   */
  write(current: Current): Promise<Outcome>;
  /** What follows once the outcome is recorded. */
  settled?(applied: Applied): Promise<void>;
}

/** What a target is made for: what is wanted, what was applied before, which objects else to look at. */
export interface Assignment<S extends Subject> {
  readonly deps: WriteDeps;
  readonly subject: S;
  readonly desired: JsonValue;
  readonly applied: Applied;
  readonly objects: HintMessage['objects'];
}
