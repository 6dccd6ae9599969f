import type { JsonObject } from '#shared/core/json.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import type { Subject } from '#shared/core/subject.ts';
import { workloadTitle } from '#shared/core/workload.ts';
import { ApiInvalidError } from '#shared/errors.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
import type { WriteResultsDeps } from './deps.ts';
import { REJECTED } from './messages.ts';

/** An object that was written, or rejected, in one piece of work. */
interface Note {
  readonly object: string;
  /** The revision of the result that was being written. */
  readonly revision: number;
}

interface Written extends Note {
  readonly action: 'created' | 'changed' | 'deleted';
  /** When the API server had answered, in milliseconds since the epoch. */
  readonly writtenMs: number;
}

/**
 * The effects of one piece of work in the WDS, for operators. Each object counts once, however many calls and attempts it took.
 * The journal follows the answers of the API server, so targets need not report anything.
 */
export class WriteJournal {
  readonly #deps: WriteResultsDeps;
  readonly #subject: Subject;
  readonly #change: ChangeTime;
  readonly #written = new Map<string, Written>();
  readonly #refused = new Map<string, Note & { readonly reason: string }>();

  constructor(deps: WriteResultsDeps, subject: Subject, change: ChangeTime) {
    this.#deps = deps;
    this.#subject = subject;
    this.#change = change;
  }

  /** The same API server. Notes what it accepts and rejects for a revision of the result. */
  noting(api: ObjectApi, revision: number): ObjectApi {
    const note = async <Answer>(
      ref: ObjectRef,
      call: () => Promise<Answer>,
      actionOf: (answer: Answer) => Written['action'] | undefined,
    ): Promise<Answer> => {
      const object = workloadTitle(ref);
      try {
        const answer = await call();
        const action = actionOf(answer);
        const writtenMs = this.#deps.clock();
        if (action !== undefined)
          this.#written.set(object, { object, revision, action, writtenMs });
        return answer;
      } catch (error) {
        if (error instanceof ApiInvalidError)
          this.#refused.set(object, { object, revision, reason: error.reason });
        throw error;
      }
    };
    // The answer to an update that changes nothing has the same resourceVersion (Kubernetes API concepts, "Resource
    // versions").
    const changedFrom = (before: string) => (after: JsonObject) =>
      resourceVersionOf(after) === before ? undefined : 'changed';
    return {
      get: (ref, signal) => api.get(ref, signal),
      create: (ref, object, signal) =>
        note(
          ref,
          () => api.create(ref, object, signal),
          () => 'created',
        ),
      replace: (ref, object, signal) =>
        note(ref, () => api.replace(ref, object, signal), changedFrom(resourceVersionOf(object))),
      replaceStatus: (ref, change, signal) =>
        note(
          ref,
          () => api.replaceStatus(ref, change, signal),
          changedFrom(change.resourceVersion),
        ),
      patchLabels: (ref, change, signal) =>
        note(ref, () => api.patchLabels(ref, change, signal), changedFrom(change.resourceVersion)),
      delete: (ref, precondition, signal) =>
        note(
          ref,
          () => api.delete(ref, precondition, signal),
          () => 'deleted',
        ),
    };
  }

  /** Notes that the work starts again because an object, or the desired result, has changed. */
  conflict(): void {
    this.#deps.telemetry.count('WriteConflicts');
    this.#deps.telemetry.debug('write starts again', subjectFields(this.#subject));
  }

  /** Counts and logs what was noted. The time of the work is the time of its last write. */
  report(): void {
    const { telemetry } = this.#deps;
    const fields = subjectFields(this.#subject);
    for (const { reason, ...refused } of this.#refused.values())
      telemetry.warn(REJECTED, { ...fields, ...refused, reason });
    if (this.#refused.size > 0) telemetry.count('WritesRefused', this.#refused.size);
    const written = [...this.#written.values()];
    for (const { writtenMs, ...object } of written)
      telemetry.info('written', { ...fields, ...object, ...this.#sinceChange(writtenMs) });
    if (written.length === 0) return;
    telemetry.count('Writes', written.length);
    const last = written.map(({ writtenMs }) => writtenMs).reduce((a, b) => Math.max(a, b));
    const { sinceChangeMs } = this.#sinceChange(last);
    if (sinceChangeMs !== undefined) telemetry.changeToWds(sinceChangeMs);
  }

  /** At least 0: the clock of the queue may be ahead. */
  #sinceChange(writtenMs: number): { readonly sinceChangeMs?: number } {
    const { changedMs } = this.#change;
    return changedMs === undefined ? {} : { sinceChangeMs: Math.max(0, writtenMs - changedMs) };
  }
}
