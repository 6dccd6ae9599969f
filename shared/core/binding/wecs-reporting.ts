import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';

/** A WEC that is silent, and when it was last heard of. */
export interface SilentWec {
  readonly wec: string;
  /** RFC 3339, in UTC and whole seconds; absent: stored by a release that did not keep it. */
  readonly since?: string;
}

/** What is known of the WECs of a Binding. */
export interface HeardOf {
  /** The WECs that the Binding sends to. */
  readonly destinations: readonly string[];
  /** When each silent WEC was last heard of, by name. */
  readonly silent: ReadonlyMap<string, Pick<SilentWec, 'since'>>;
  /** Whether a forwarder of the WEC has ever sent a heartbeat. */
  readonly hasReported: (wec: string) => boolean;
}

/** What the condition `WECsReporting` of a Binding and of its BindingPolicy says. */
export interface WecsReporting {
  readonly status: 'True' | 'False';
  /** `AllReporting`, `NoWECs`, `WECsSilent` or `WECsNeverReported`. */
  readonly reason: string;
  readonly message: string;
}

/** So many WECs are named; of the others their number is told. */
const MAX_NAMED = 10;

/** After how long the WECs of a Binding count as silent, in milliseconds: five minutes, or what the Binding asks for if that is less. */
export function bindingSilenceMs(silentAfterMs: number | undefined): number {
  return Math.min(SILENCE_LIMIT_MS, silentAfterMs ?? SILENCE_LIMIT_MS);
}

function wecs(count: number): string {
  return count === 1 ? '1 WEC' : `${count} WECs`;
}

/** Who has been silent for longest comes first, then in the order of names. */
function bySince(a: SilentWec, b: SilentWec): number {
  const [left, right] = [a.since ?? '', b.since ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return a.wec < b.wec ? -1 : 1;
}

/**
 * Whether all WECs of a Binding report. Times are absolute, so nothing has to be written while nothing changes. At most ten
 * WECs are named: the silent ones, those first that have been silent for longest, then those that have never reported.
 */
export function wecsReporting({ destinations, silent, hasReported }: HeardOf): WecsReporting {
  const count = destinations.length;
  if (count === 0)
    return { status: 'True', reason: 'NoWECs', message: 'The Binding names no WECs' };
  const quiet = destinations
    .flatMap((wec): SilentWec[] => {
      const found = hasReported(wec) ? silent.get(wec) : undefined;
      return found === undefined ? [] : [{ wec, ...found }];
    })
    .sort(bySince);
  const never = destinations.filter((wec) => !hasReported(wec)).sort();
  if (quiet.length + never.length === 0)
    return { status: 'True', reason: 'AllReporting', message: `${wecs(count)} reporting` };
  const texts = [
    ...quiet.map(
      ({ wec, since }) => `${wec} (silent${since === undefined ? '' : ` since ${since}`})`,
    ),
    ...never.map((wec) => `${wec} (never reported)`),
  ];
  const others = texts.length - MAX_NAMED;
  const more = others > 0 ? `, and ${others} more` : '';
  return {
    status: 'False',
    reason: quiet.length > 0 ? 'WECsSilent' : 'WECsNeverReported',
    message: `${texts.length} of ${wecs(count)} not reporting: ${texts.slice(0, MAX_NAMED).join(', ')}${more}`,
  };
}
