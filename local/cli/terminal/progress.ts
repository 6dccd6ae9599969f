import { computing, printing, reading } from './messages.ts';
import type { Terminal } from './terminal.ts';

/** Smaller files are read, and fewer objects are computed, before anybody would read what is shown. */
const LARGE_BYTES = 1_000_000;
const MANY_OBJECTS = 500;
/** The objects that are printed before the number is shown again. */
const STEP = 100;

type Progress = Pick<Terminal, 'progress'>;

/** Shows that a file is read, unless it is small. */
export function showReading(terminal: Progress, file: string, bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  const megabytes = (bytes / 1_000_000).toFixed(1);
  terminal.progress(reading(megabytes, file));
}

/** Shows that the results of so many objects are computed, unless they are few. */
export function showComputing(terminal: Progress, objects: number): void {
  if (objects >= MANY_OBJECTS) terminal.progress(computing(objects));
}

/** Shows how many objects are printed, at times, unless the results themselves are on the terminal. */
export function showPrinted(
  terminal: Pick<Terminal, 'progress' | 'isTerminal'>,
  { printed, of }: { readonly printed: number; readonly of: number },
): void {
  if (terminal.isTerminal || of < MANY_OBJECTS || printed % STEP !== 0) return;
  terminal.progress(printing(printed, of));
}
