import { parentPort, workerData } from 'node:worker_threads';
import { openCheckpoints } from '#shared/adapters/sqlite/checkpoints.ts';

const EVERY_MS = 500;

/**
 * Makes checkpoints of the state file in this worker thread, until it gets a message. A checkpoint syncs the disk. In the thread
 * that commits, everything would wait meanwhile.
 */
export function runCheckpoints(): void {
  const checkpoints = openCheckpoints(String(workerData));
  const timer = setInterval(() => checkpoints.copy(), EVERY_MS);
  parentPort?.once('message', () => {
    clearInterval(timer);
    checkpoints.close();
  });
}
