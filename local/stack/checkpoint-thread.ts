import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { packageFile } from '#local/package-file.ts';

/** JavaScript, because Node reads no TypeScript in an installed package. */
const ENTRY = 'local/stack/checkpoint-worker.js';
const HEAP_MB = 16;

/** The thread that makes checkpoints of the state file. */
export interface CheckpointThread {
  /** Call it after the process has closed the file. Returns when the thread has closed it too. */
  stop(): Promise<void>;
}

/**
 * Starts the thread. If it ends or does not start, the commits of the stack make the checkpoints, as they do without it.
 *
 * @param file the database file. It exists
 */
export function startCheckpoints(file: string): CheckpointThread {
  const thread = new Worker(packageFile(ENTRY), {
    name: 'checkpoints',
    workerData: file,
    // A thread that fails must not close the file (see the adapter).
    trackUnmanagedFds: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    // None of the options of the process, because some of them are not allowed for threads. Node 22 warns of node:sqlite in each.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(thread, 'exit').catch(() => undefined);
  thread.on('error', () => undefined);
  // Nobody waits for it.
  thread.unref();
  return {
    stop: async () => {
      thread.ref();
      thread.postMessage('stop');
      await ended;
    },
  };
}
