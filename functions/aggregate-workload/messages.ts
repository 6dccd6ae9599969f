import type { AskingBinding } from '#shared/core/collector/asked-work.ts';
import type { SizedRow } from '#shared/state/set-aside.ts';

// The sentences that only the aggregation has: in `status.errors` of Bindings and StatusCollectors, in what a subject waits for, and
// in logs. The fields of a line of the log name the subject and the entries.

/** In the log: stored reports that are left out. */
export const UNREADABLE_REPORTS = 'entries of the reports of a source cannot be read';

/** In the log: the time of an invocation does not suffice for all shards of a subject. */
export const REST_LEFT = 'late: the rest is left to another message';

/** In the log. */
export const ASIDE = 'set aside: aggregating it has ended the process';

/** In the log. */
export const NO_LONGER_ASIDE = 'no longer set aside';

/** What a subject waits for. */
export function uncheckedCollector(name: string): string {
  return `StatusCollector ${name} (its check)`;
}

/** The maximum number of collectors that are named for each Binding. An error may have 1,000 characters. */
const MAX_COLLECTORS = 2;
/** Longer names are shortened. A name may have 253 characters. */
const MAX_NAME = 40;

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

/** What the collectors of a Binding request for a workload object. */
export function askedWorkText({ binding, collectors, loops, characters }: AskingBinding): string {
  const named = collectors.slice(0, MAX_COLLECTORS).map(shortened).join(', ');
  const others = collectors.length - MAX_COLLECTORS;
  const more = others > 0 ? ` and ${others} more` : '';
  return `${named}${more} of Binding ${shortened(binding)} (loops and patterns: ${loops}, characters: ${characters})`;
}

/** WECs with the sizes of their rows. `''` if there are none. */
export function sizesText(rows: readonly SizedRow[]): string {
  return rows.map(({ wec, bytes }) => `${shortened(wec)} (${bytes} bytes)`).join(', ');
}

const TWICE = 'stopped the process twice (timeout or out of memory)';
const AGAIN = 'it is retried after a minute, then after longer pauses of up to an hour';
const UP_TO = 'of up to five minutes if';

/** What may be the reason that a workload object is set aside. */
interface AsideReasons {
  /** An {@link askedWorkText} for each Binding whose StatusCollectors request the most work. */
  readonly expensive: readonly string[];
  /** The largest rows that were read before the process ended. */
  readonly largest: readonly SizedRow[];
}

/** `title` is the name of a workload object. */
export function workloadAside(title: string, { expensive, largest }: AsideReasons): string {
  const sizes = largest.length === 0 ? '' : `; it read as the largest: ${sizesText(largest)}`;
  const remedies = [
    ...(expensive.length === 0
      ? []
      : [`simplify the most expensive StatusCollectors: ${expensive.join('; ')}`]),
    `reduce the size of its statuses in the WECs${sizes}`,
  ];
  return `${title} is set aside because aggregating it ${TWICE}; ${AGAIN}, or ${UP_TO} its Bindings or their StatusCollectors have changed; ${remedies.join('; or ')}`;
}

/** An error that begins so is replaced. An earlier release may have worded it otherwise. */
const OWN_START = 'set aside';

/** Of a Binding or a StatusCollector. */
export const OWN_ASIDE = `${OWN_START} because evaluating it ${TWICE}; ${AGAIN}, or ${UP_TO} it has changed; reduce the size of its spec, or simplify its expressions`;

/** Whether this release or an earlier one has given an error as {@link OWN_ASIDE}. */
export function isOwnAside(error: string): boolean {
  return error.startsWith(OWN_START);
}
