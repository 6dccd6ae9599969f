import {
  FAMILY_ORDER,
  type Family,
  familyOf,
  rankOf,
  type ShownVerdict,
  verdictOf,
} from './verdicts.ts';
import type { WecRow } from './wec-rows.ts';

/** A spectrum with more WECs than this puts several into one tick. */
export const MAX_TICKS = 200;

/** A part of a tick that stands for some WECs of one family. */
export interface TickPart {
  readonly family: Family;
  /** The share of the tick's width, up to 1. */
  readonly width: number;
}

/** A tick of the spectrum: one WEC, or the neighbours in the order of names. */
export interface Tick {
  /** The names of the first and the last WEC. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** The worst verdict. */
  readonly verdict: ShownVerdict;
  readonly parts: readonly TickPart[];
}

/** A family is seen, however small its share. What is bad is seen best. */
const LEAST: Readonly<Record<Family, number>> = {
  bad: 0.5,
  absent: 0.28,
  moving: 0.28,
  rest: 0.28,
  fine: 0,
};

/** The height of a family in the spectrum, as a share. */
export const HEIGHTS: Readonly<Record<Family, number>> = {
  bad: 1,
  absent: 0.8,
  moving: 0.62,
  rest: 0.36,
  fine: 0.3,
};

function partsOf(rows: readonly WecRow[]): readonly TickPart[] {
  const families = rows.map((row) => familyOf(verdictOf(row)));
  let left = 1;
  return FAMILY_ORDER.flatMap((family) => {
    const count = families.filter((one) => one === family).length;
    if (count === 0 || left <= 0) return [];
    const width = Math.min(left, Math.max(count / rows.length, LEAST[family]));
    left -= width;
    return [{ family, width }];
  });
}

function tickOf(rows: readonly WecRow[]): Tick {
  const [worst] = rows.map(verdictOf).toSorted((a, b) => rankOf(a) - rankOf(b));
  return {
    first: rows[0]?.wec ?? '',
    last: rows.at(-1)?.wec ?? '',
    count: rows.length,
    verdict: worst ?? 'Reported',
    parts: partsOf(rows),
  };
}

/** The spectrum of WECs: by name, so that a WEC has the same place whatever it reports. */
export function spectrumOf(rows: readonly WecRow[]): readonly Tick[] {
  const byName = rows.toSorted((a, b) => (a.wec < b.wec ? -1 : 1));
  const count = Math.min(byName.length, MAX_TICKS);
  return Array.from({ length: count }, (_, tick) =>
    tickOf(
      byName.slice(
        Math.floor((tick * byName.length) / count),
        Math.floor(((tick + 1) * byName.length) / count),
      ),
    ),
  );
}
