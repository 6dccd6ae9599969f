/**
 * A worker thread of the embedded stack in which some workload objects poison the process that folds them: `endless` loops,
 * `greedy` takes all memory, `leaving` ends the thread.
 */
import { runAggregationWorker } from '#local/stack/run-aggregation-worker.ts';
import type { Query } from '#shared/ports/item-store.ts';

const POISONS: Readonly<Record<string, () => void>> = {
  endless: () => {
    for (let turn = 0; ; turn += 1) if (turn < 0) return;
  },
  greedy: () => {
    for (const kept: string[][] = []; ; ) kept.push(Array.from({ length: 100_000 }, String));
  },
  leaving: () => process.exit(1),
};

/** A fold reads whole shards. What reads pages of rows does not fold them: it finds the largest ones. */
function poisonOf({ pk, from = '', limit }: Query): (() => void) | undefined {
  const isFold = from.startsWith('R#') && limit === undefined;
  return isFold ? POISONS[pk.slice(pk.lastIndexOf('/') + 1)] : undefined;
}

runAggregationWorker((deps) => ({
  ...deps,
  store: {
    ...deps.store,
    query: async (query) => {
      const page = await deps.store.query(query);
      poisonOf(query)?.();
      return page;
    },
  },
}));
