import { type AskedWork, askedWork, byAskedWork } from '#shared/core/collector/asked-work.ts';
import { compareText } from '#shared/core/collector/first-entries.ts';
import { member } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { type Membership, readOldestMemberships } from '#shared/state/membership.ts';
import type { AggregateDeps } from './deps.ts';
import { readCollectors } from './load-collectors.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

/** The maximum number of collectors in a text, and of Bindings for each. An error may have 1,000 characters. */
const MAX_COLLECTORS = 3;
const MAX_BINDINGS = 2;
/** Longer names are shortened. A name may have 253 characters. */
const MAX_NAME = 50;

interface DearCollector extends AskedWork {
  readonly name: string;
}

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

function namersOf(name: string, memberships: readonly Membership[]): string {
  const namers = memberships
    .filter(({ modulation }) => modulation.statusCollectors.includes(name))
    .map(({ binding }) => shortened(binding));
  const more = namers.length - MAX_BINDINGS;
  const named = namers.slice(0, MAX_BINDINGS).join(', ');
  const noun = namers.length === 1 ? 'Binding' : 'Bindings';
  return more > 0 ? `${noun} ${named} and ${more} more` : `${noun} ${named}`;
}

function byWork(a: DearCollector, b: DearCollector): number {
  return byAskedWork(a, b) || compareText(a.name, b.name);
}

/**
 * Names the StatusCollectors of a workload object that ask for the most work, with the Bindings that name them. Many Bindings
 * may share the object, and these collectors may be the cause of its cost. The cost is estimated from the texts of the
 * expressions: if a subject ends the process, the code that reports this must not compile what may be the reason.
 *
 * @returns `''` if no collector asks for anything
 */
export async function dearCollectors(
  deps: AggregateDeps,
  subject: WorkloadSubject,
): Promise<string> {
  const pk = subjectPartition(subject);
  const { counted } = await readOldestMemberships(deps.store, pk, deps.maxBindings);
  const names = new Set(counted.flatMap(({ modulation }) => modulation.statusCollectors));
  let dearest: readonly DearCollector[] = [];
  const read = readCollectors(deps.store, subject.workload.wds, [...names].sort());
  for await (const page of read)
    for (const { name, observed } of page) {
      const work = askedWork(member(observed?.content, 'spec'));
      if (work === undefined) continue;
      dearest = [...dearest, { name, ...work }].sort(byWork).slice(0, MAX_COLLECTORS);
    }
  return dearest
    .map(({ name, loops, characters }) => {
      const work = `${loops} loops and patterns, ${characters} characters`;
      return `${shortened(name)} of ${namersOf(name, counted)} (${work})`;
    })
    .join('; ');
}
