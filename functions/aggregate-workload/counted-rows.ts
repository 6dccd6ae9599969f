import { isSilent } from '#shared/core/silence.ts';
import type { Head } from '#shared/state/head.ts';
import type { StoredRow } from '#shared/state/rows.ts';
import { putRecentRows } from '#shared/state/silent-after.ts';
import type { AggregateDeps } from './deps.ts';
import type { LoadedInputs } from './inputs.ts';
import { whyUnheard } from './unheard.ts';

/** The workload object that is aggregated: its partition, the head that was read, and the WECs that no longer count. */
interface Counting extends Pick<LoadedInputs, 'unheard'> {
  readonly pk: string;
  readonly head: Head;
}

/**
 * Returns the rows that count. A WEC that has been silent for longer than the object allows, or that has never sent a
 * heartbeat, counts as a WEC that has reported nothing. A row that was recorded since then still counts for that time, and a
 * note of it is stored before it is folded (docs/rules.md, K1).
 */
export async function countedRows(
  { store, clock }: AggregateDeps,
  { pk, head, unheard }: Counting,
  rows: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  if (unheard === undefined) return rows;
  const { silentAfterMs } = unheard;
  const doubtful = new Set(rows.filter(({ wec }) => whyUnheard(unheard, wec) !== undefined));
  const nowMs = clock();
  const isRecent = ({ heardMs = Number.NEGATIVE_INFINITY }: StoredRow): boolean =>
    !isSilent(heardMs, nowMs, silentAfterMs);
  const recent = [...doubtful].filter(isRecent);
  await putRecentRows(
    store,
    recent.map(({ wec, heardMs = nowMs }) => ({
      ...{ partition: pk, silentAfterMs, wec },
      untilMs: heardMs + silentAfterMs,
    })),
    head.revision + 1,
  );
  return rows.filter((row) => !doubtful.has(row) || isRecent(row));
}
