/** The entry of a worker thread of the embedded stack (`pool.ts`). */
import { runAggregationWorker } from './run-aggregation-worker.ts';

runAggregationWorker();
