import { workloadKey } from '#shared/core/workload.ts';
import type { Subject } from '#shared/state/keys.ts';

/** Fields of a line of the structured log. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Names a subject in the log: `wds`, and `workload` (its workload key), `binding` or `collector`. */
export function subjectFields(subject: Subject): LogFields {
  return subject.type === 'workload'
    ? { wds: subject.workload.wds, workload: workloadKey(subject.workload) }
    : { wds: subject.wds, [subject.type]: subject.name };
}
