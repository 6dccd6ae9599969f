/** The entry of a worker thread of the embedded stack (`query-threads.ts`). */
import { runQueryWorker } from './run-query-worker.ts';

runQueryWorker();
