/** The entry of a worker thread of the stack whose clock is stopped. */
import './stopped-clock.ts';
import { runAggregationWorker } from '#local/stack/run-aggregation-worker.ts';

runAggregationWorker();
