import { type Verdict, worstOf } from '#shared/core/explanation/shown-verdict.ts';
import { type TickPart, tickParts, tickRanges } from '#shared/core/explanation/spectrum.ts';
import { verdictOf, type WecRow } from './wec-rows.ts';

/** A tick of the spectrum: one WEC, or the neighbours in the order of names. */
export interface Tick {
  /** The names of the first and the last WEC. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** The worst verdict. */
  readonly verdict: Verdict;
  readonly parts: readonly TickPart<Verdict>[];
}

/** The spectrum of WECs: by name, so that a WEC has the same place whatever it reports. */
export function spectrumOf(rows: readonly WecRow[]): readonly Tick[] {
  const byName = rows.toSorted((a, b) => (a.wec < b.wec ? -1 : 1));
  return tickRanges(byName.length).map(([from, to]) => {
    const shared = byName.slice(from, to);
    const verdicts = shared.map(verdictOf);
    return {
      first: shared[0]?.wec ?? '',
      last: shared.at(-1)?.wec ?? '',
      count: shared.length,
      verdict: worstOf(verdicts),
      parts: tickParts(verdicts),
    };
  });
}
