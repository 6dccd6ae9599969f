import { type AskedWork, askedWork, askingBindings } from '#shared/core/collector/asked-work.ts';
import { member } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readOldestMemberships } from '#shared/state/membership.ts';
import { largestRows } from '#shared/state/rows.ts';
import type { SizedRow } from '#shared/state/set-aside.ts';
import type { AggregateDeps } from './deps.ts';
import { readCollectors } from './load-collectors.ts';
import { askedWorkText, sizesText } from './messages.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

/** The maximum number of Bindings in a text, and of WECs. An error may have 1,000 characters. */
const MAX_BINDINGS = 3;
const MAX_WECS = 3;

/**
 * Names the Bindings whose StatusCollectors request the most work for a workload object together, with the collectors that
 * request most. Many Bindings may share the object, and these may be the cause of its cost. The cost is estimated from the texts
 * of the expressions: if a subject ends the process, the code that reports this must not compile what may be the reason.
 */
export async function expensiveCollectors(
  deps: AggregateDeps,
  subject: WorkloadSubject,
): Promise<readonly string[]> {
  const pk = subjectPartition(subject);
  const { counted } = await readOldestMemberships(deps.store, pk, deps.maxBindings);
  const names = new Set(counted.flatMap(({ modulation }) => modulation.statusCollectors));
  const works = new Map<string, AskedWork>();
  const read = readCollectors(deps.store, subject.workload.wds, [...names].sort());
  for await (const page of read)
    for (const { name, observed } of page) {
      const work = askedWork(member(observed?.content, 'spec'));
      if (work !== undefined) works.set(name, work);
    }
  return askingBindings(counted, works).slice(0, MAX_BINDINGS).map(askedWorkText);
}

/**
 * A store that notes the largest rows of a workload object when they are read, before the caller gets them: the caller may end
 * the process with them.
 *
 * @param pk the partition of the object
 * @param note called when others than before are the largest
 */
export function measuringStore(
  store: ItemStore,
  pk: string,
  note: (largest: readonly SizedRow[]) => Promise<void>,
): ItemStore {
  let largest: readonly SizedRow[] = [];
  return {
    ...store,
    query: async (query, signal) => {
      const page = await store.query(query, signal);
      if (query.pk !== pk) return page;
      const next = largestRows(largest, page.items, MAX_WECS);
      const isNew = sizesText(next) !== sizesText(largest);
      largest = next;
      if (isNew) await note(largest);
      return page;
    },
  };
}
