import {
  REPORTING,
  refusalState,
  SILENT,
  type Topic,
  type TopicState,
} from '#shared/core/notification/topic.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readApplied, readHead } from '#shared/state/head.ts';
import { readSilenceOf, silenceKey } from '#shared/state/silence.ts';

/** Reads the present state of a topic. Undefined if it is not known. Strongly consistent. */
export async function presentState(
  store: ItemStore,
  topic: Topic,
): Promise<TopicState | undefined> {
  switch (topic.type) {
    case 'verdict':
      return (await readHead(store, partition(topic))).verdict;
    case 'refusals':
      return refusalState((await readApplied(store, partition(topic))).reported);
    case 'silence': {
      const entry = await readSilenceOf(store, silenceKey(topic.wec));
      if (entry?.silent !== true) return { status: REPORTING };
      const { lastSeen } = entry;
      return { status: SILENT, ...(lastSeen === undefined ? {} : { lastContact: lastSeen }) };
    }
  }
}

function partition({ workload }: Extract<Topic, { workload: unknown }>): string {
  return subjectPartition({ type: 'workload', workload });
}
