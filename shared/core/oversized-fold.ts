import type { Fold } from '#shared/core/fold/fold.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';

/** So many WECs are named; of the others their number is told. */
const MAX_NAMED = 5;

type Oversized = readonly [wec: string, bytes: number];

/** The WECs whose status was too large to keep: how many, and the first of them by name. */
export type OversizedPart = {
  readonly count: number;
  readonly first: readonly Oversized[];
};

/** The fold of what could not be kept: nothing is left out in silence (docs/architecture.md, section 5). */
export const OVERSIZED: Fold<PerWecRow, OversizedPart, OversizedPart> = {
  empty: { count: 0, first: [] },
  lift: ({ wec, oversizedBytes }) =>
    oversizedBytes === undefined
      ? { count: 0, first: [] }
      : { count: 1, first: [[wec, oversizedBytes]] },
  merge(a, b) {
    if (a.count === 0) return b;
    if (b.count === 0) return a;
    const first = [...a.first, ...b.first].sort(([x], [y]) => (x < y ? -1 : 1));
    return { count: a.count + b.count, first: first.slice(0, MAX_NAMED) };
  },
  finish: (part) => part,
};

/** What `status.errors` of the Bindings says of it, in words. */
export function oversizedErrors(ref: WorkloadRef, part: OversizedPart): readonly string[] {
  const { count, first } = part;
  const named = first.map(
    ([wec, bytes]) =>
      `${workloadTitle(ref)}: WEC ${wec} returned ${bytes} bytes, too large to keep: its status counts as not returned; make spec and status smaller (each at most 1 MiB of JSON, 50,000 values and 500 levels)`,
  );
  const others = count - first.length;
  return others === 0
    ? named
    : [...named, `${workloadTitle(ref)}: other WECs with a status too large to keep: ${others}`];
}
