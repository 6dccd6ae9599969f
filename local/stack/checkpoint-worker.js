/** The entry of the thread of the embedded stack that copies the write-ahead log (`run-checkpoints.ts`). */
import { runCheckpoints } from './run-checkpoints.ts';

runCheckpoints();
