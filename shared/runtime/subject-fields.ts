import type { Subject } from '#shared/core/subject.ts';
import { workloadKey } from '#shared/core/workload.ts';

/** Fields of a line of the structured log. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The fields of the log that name a subject: `wds`, and `workload` (its workload key), `binding` or `collector`; for an object
 * of Fleet, `fleet` (its management cluster) and `object`.
 */
export function subjectFields(subject: Subject): LogFields {
  switch (subject.type) {
    case 'workload':
      return { wds: subject.workload.wds, workload: workloadKey(subject.workload) };
    case 'binding':
    case 'collector':
      return { wds: subject.wds, [subject.type]: subject.name };
    case 'fleet': {
      const { upstream, resource, namespace, name } = subject;
      return { fleet: upstream, object: `${resource}/${namespace}/${name}` };
    }
  }
}
