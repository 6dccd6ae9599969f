/** The entry of a worker thread of the embedded stack (`aggregation-pool.ts`). */
import { runAggregationWorker } from './run-aggregation-worker.ts';

runAggregationWorker();
