/** The entry of a thread for queries of the stack whose clock is stopped. */
import './stopped-clock.ts';
import { runQueryWorker } from '#local/stack/run-query-worker.ts';

runQueryWorker();
