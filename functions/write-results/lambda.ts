import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { FLEET_CLUSTER, WDS_CLUSTER } from '#shared/errors.ts';
import { parseHint } from '#shared/messages/dirty.ts';
import { createSqsHandler, type Observability, type SqsHandler } from '#shared/runtime/batch.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
import type { WriteResultsDeps } from './deps.ts';
import { createHeldClusters } from './held-clusters.ts';
import { writeResults } from './use-case.ts';

/** The name, for messages, of the cluster that a subject is written to. */
function clusterOf(subject: Subject): string {
  switch (subject.type) {
    case 'workload':
      return `${WDS_CLUSTER.title} ${subject.workload.wds}`;
    case 'fleet':
      return `${FLEET_CLUSTER.title} ${subject.upstream}`;
    default:
      return `${WDS_CLUSTER.title} ${subject.wds}`;
  }
}

/** The function behind the queue of hints. A slow cluster does not delay the work for others. */
export function createWriteResults(
  deps: WriteResultsDeps,
  observability: Observability,
): SqsHandler {
  const clusters = createHeldClusters(deps.clock);
  return createSqsHandler(
    {
      parse: parseHint,
      groupOf: (hint) => subjectPartition(hint.subject),
      fieldsOf: (hint) => subjectFields(hint.subject),
      handle: async (hints) => {
        const [first] = hints;
        if (first === undefined) return;
        await clusters.run(clusterOf(first.subject), () => writeResults(deps, hints));
      },
    },
    observability,
  );
}
