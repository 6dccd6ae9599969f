import { type Family, VERDICTS, type Verdict, WORST_FIRST } from './shown-verdict.ts';

/** A spectrum with more WECs than this puts several into one tick. */
export const MAX_TICKS = 200;

/** What is drawn for one WEC. `undefined` is the place of a WEC to which the object is not sent. */
export type Placed = Verdict | undefined;

/** How high a family stands, as a share of the height of a spectrum. */
const HEIGHTS: Readonly<Record<Family, number>> = {
  bad: 1,
  absent: 0.8,
  moving: 0.62,
  rest: 0.36,
  fine: 0.3,
};
/** The last word of a silent WEC counts, so it stays low. */
const SILENT_HEIGHT = 0.34;
const NOT_SENT_HEIGHT = 0.1;

/** How high a tick stands, as a share of the height of a spectrum. */
export function tickHeight(verdict: Placed): number {
  if (verdict === undefined) return NOT_SENT_HEIGHT;
  return verdict === 'Silent' ? SILENT_HEIGHT : HEIGHTS[VERDICTS[verdict].family];
}

/** In a tick that several WECs share, nothing takes less, and what is bad takes more, so that it does not drown. */
const LEAST = { bad: 0.5, other: 0.28 };

/** A part of a tick that stands for the WECs of one verdict. */
export interface TickPart<Shown extends Placed> {
  readonly verdict: Shown;
  /** The share of the tick's width, up to 1. */
  readonly width: number;
}

/** The parts of a tick that some WECs share, worst first. What no longer fits is left out. */
export function tickParts<Shown extends Placed>(
  placed: readonly Shown[],
): readonly TickPart<Shown>[] {
  let left = 1;
  return [...WORST_FIRST, undefined].flatMap((verdict) => {
    const share = placed.filter((one) => one === verdict).length / placed.length;
    if (share === 0 || left <= 0) return [];
    const isBad = verdict !== undefined && VERDICTS[verdict].family === 'bad';
    const width = Math.min(left, Math.max(share, isBad ? LEAST.bad : LEAST.other));
    left -= width;
    // Some of the WECs have it.
    return [{ verdict: verdict as Shown, width }];
  });
}

/** Which of so many WECs, in the order of their places, share each tick: `[from, to)`. */
export function tickRanges(count: number): readonly (readonly [from: number, to: number])[] {
  const ticks = Math.min(count, MAX_TICKS);
  const start = (tick: number): number => Math.floor((tick * count) / ticks);
  return Array.from({ length: ticks }, (_, tick) => [start(tick), start(tick + 1)] as const);
}
