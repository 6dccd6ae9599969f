import { namesText } from '#shared/core/fold/named-wecs.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { allReporting, NO_WECS, neverReportedWec, notReporting, silentSince } from './messages.ts';

/** A silent WEC, and when it last sent a heartbeat. */
export interface SilentWec {
  readonly wec: string;
  /** RFC 3339, in UTC and whole seconds. Absent if the release that stored this did not record it. */
  readonly since?: string;
}

/** What is known about the WECs of a Binding. */
export interface HeardOf {
  /** The WECs that the Binding sends to. */
  readonly destinations: readonly string[];
  /** When each silent WEC last sent a heartbeat, by the name of the WEC. */
  readonly silent: ReadonlyMap<string, Pick<SilentWec, 'since'>>;
  /** Whether a forwarder of the WEC has ever sent a heartbeat. */
  readonly hasReported: (wec: string) => boolean;
}

/** The content of the condition `WECsReporting` of a Binding and of its BindingPolicy. */
export interface WecsReporting {
  readonly status: 'True' | 'False';
  /** `AllReporting`, `NoWECs`, `WECsSilent` or `WECsNeverReported`. */
  readonly reason: string;
  readonly message: string;
}

/**
 * After how long a WEC of a Binding counts as silent, in milliseconds: five minutes, or the Binding's own value if that
 * is less.
 */
export function bindingSilenceMs(silentAfterMs: number | undefined): number {
  return Math.min(SILENCE_LIMIT_MS, silentAfterMs ?? SILENCE_LIMIT_MS);
}

/** Orders WECs by how long they have been silent, the longest first, then by name. */
function bySince(a: SilentWec, b: SilentWec): number {
  const [left, right] = [a.since ?? '', b.since ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return a.wec < b.wec ? -1 : 1;
}

/**
 * Whether all WECs of a Binding report. Times are absolute, so nothing is written as long as nothing changes. At most
 * ten WECs are named: first the silent ones, beginning with the one that has been silent for longest, then those that
 * have never reported.
 */
export function wecsReporting({ destinations, silent, hasReported }: HeardOf): WecsReporting {
  const count = destinations.length;
  if (count === 0) return { status: 'True', reason: 'NoWECs', message: NO_WECS };
  const quiet = destinations
    .flatMap((wec): SilentWec[] => {
      const found = hasReported(wec) ? silent.get(wec) : undefined;
      return found === undefined ? [] : [{ wec, ...found }];
    })
    .sort(bySince);
  const never = destinations.filter((wec) => !hasReported(wec)).sort();
  if (quiet.length + never.length === 0)
    return { status: 'True', reason: 'AllReporting', message: allReporting(count) };
  const texts = [
    ...quiet.map(({ wec, since }) => silentSince(wec, since)),
    ...never.map(neverReportedWec),
  ];
  return {
    status: 'False',
    reason: quiet.length > 0 ? 'WECsSilent' : 'WECsNeverReported',
    message: notReporting(texts.length, count, namesText(texts, texts.length)),
  };
}
