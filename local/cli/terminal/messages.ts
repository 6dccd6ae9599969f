// What a long step does, and why a command can neither read its input nor write its results.

function grouped(count: number): string {
  return count.toLocaleString('en');
}

/** A large file. */
export function reading(megabytes: string, file: string): string {
  return `reading ${megabytes} MB: ${file}`;
}

/** The results of many objects. */
export function computing(objects: number): string {
  return `computing: ${grouped(objects)} objects`;
}

/** The results of many objects, of which some are printed. */
export function printing(printed: number, objects: number): string {
  return `printing: ${grouped(printed)} of ${grouped(objects)} objects`;
}

/** Nobody would know what the command waits for. */
export const INPUT_IS_TERMINAL = 'standard input is a terminal: pipe objects into this command';

/** The disk of the results is full, for instance. */
export function notWritten(error: string): string {
  return `the results cannot be written: ${error}`;
}
