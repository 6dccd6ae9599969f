import { isObject } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import type { ExplainedObject } from '#shared/core/status/kinds/explain-status.ts';
import { createLifeCheck } from '#shared/core/status/other-life.ts';

/** What the qualified WECs have reported about a workload object. */
export interface WecsExplanation {
  /** The number of qualified WECs. */
  readonly qualified: number;
  /** The number of those whose status counts. */
  readonly reported: number;
  /** Names of those that have been silent for too long, sorted, whether or not their last report counts. */
  readonly silent: readonly string[];
  /** Names of the others without a status that counts, sorted. */
  readonly missing: readonly string[];
  /** Names of the others whose status was too large to keep, sorted. */
  readonly tooLarge: readonly string[];
}

/**
 * What the qualified WECs have reported. A WEC that is silent is only named as silent, and one whose status was too large
 * is not named as missing.
 *
 * @param rows one for each qualified WEC, in the order of names
 * @param silent the WECs that are silent by their own limit or by that of the object
 */
export function explainWecs(
  { workload, specsByHash }: ExplainedObject,
  rows: readonly PerWecRow[],
  silent: ReadonlySet<string>,
): WecsExplanation {
  const otherLife = createLifeCheck(workload, specsByHash);
  const counts = ({ row }: PerWecRow): boolean =>
    row !== undefined && isObject(row.status) && otherLife(row) === undefined;
  const heard = rows.filter(({ wec }) => !silent.has(wec));
  const tooLarge = heard.filter(({ oversizedBytes }) => oversizedBytes !== undefined);
  const missing = heard.filter((row) => row.oversizedBytes === undefined && !counts(row));
  const names = (some: readonly PerWecRow[]): readonly string[] => some.map(({ wec }) => wec);
  return {
    qualified: rows.length,
    reported: rows.filter(counts).length,
    silent: names(rows.filter(({ wec }) => silent.has(wec))),
    missing: names(missing),
    tooLarge: names(tooLarge),
  };
}
