import { quantile } from '#test/bench/figure.ts';
import type { Usage } from './process.ts';

/** What a process used at some time. */
export interface Sample extends Usage {
  /** Milliseconds since the load began. */
  readonly at: number;
}

/** Memory of a process, in bytes, in the four quarters of a run: the median of each. */
export type Quarters = readonly [number, number, number, number];

/** More than this share and so many bytes more is growth. */
const GROWTH = { share: 0.15, bytes: 10 * 1024 * 1024 };

/** The medians of a value in the quarters of a run of this length; NaN for a quarter without samples. */
export function quartersOf(
  samples: readonly Sample[],
  lengthMs: number,
  value: (sample: Sample) => number,
): Quarters {
  const median = (quarter: number): number => {
    const inside = samples.filter(({ at }) => Math.floor((at * 4) / lengthMs) === quarter);
    return quantile(inside.map(value), 0.5);
  };
  return [median(0), median(1), median(2), median(3)];
}

/** Whether memory has grown from `before` to `after`, in bytes: by more than 15 % and 10 MB. */
export function hasGrown(before: number, after: number): boolean {
  return after > before * (1 + GROWTH.share) + GROWTH.bytes;
}

/**
 * From where to where resident memory may have grown: V8 gives memory back and takes it again, so that a last quarter
 * is held against the greater of the first two.
 */
export function growthOf([first, second, , last]: Quarters): readonly [number, number] {
  return [Math.max(first, second), last];
}
