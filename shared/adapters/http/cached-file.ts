import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { messageOf } from '#shared/errors.ts';

function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code); // An error of the file system.
  }
}

/**
 * Identifies the content of files without reading them: by time of change, size and inode. Symbolic links are followed, as a
 * mounted Secret of Kubernetes needs it. If a file cannot be used, the later read reports why.
 */
function identityOf(files: readonly string[]): string {
  return files.map(stateOf).join('\n');
}

/**
 * Creates a function that parses the text of a file, and parses it again only if the file has changed.
 *
 * @param parse if it throws, the next call parses again
 * @returns a function that returns the parsed value; it rejects with the error of the system or of `parse`
 */
export function createCachedFile<T>(file: string, parse: (text: string) => T): () => Promise<T> {
  let cached: { readonly identity: string; readonly value: T } | undefined;
  return async () => {
    // Read first, so that a later change is found at the next call.
    const identity = identityOf([file]);
    if (cached?.identity !== identity)
      cached = { identity, value: parse(await readFile(file, 'utf8')) };
    return cached.value;
  };
}

/** Files, and how they are read. */
export interface FollowedFiles<T> {
  readonly files: readonly string[];
  /** Reads the files; throws if they cannot be used. */
  readonly make: () => T;
  /** Receives each new fault of changed files once, and undefined when the files can be used again. */
  readonly onFault: (fault: string | undefined) => void;
  /** Called after changed files were read. */
  readonly onRead?: () => void;
}

/**
 * Reads files at once, and again whenever one of them has changed. If the changed files cannot be used, the previous value
 * stays.
 *
 * @returns a function that checks the files and returns the current value; it never throws.
 * @throws the error of the first `make`.
 */
export function createFollowedFiles<T>(followed: FollowedFiles<T>): () => T {
  const { files, make, onFault, onRead } = followed;
  // Read first, so that a later change is found at the next call.
  let identity = identityOf(files);
  let value = make();
  let reported: string | undefined;
  const report = (fault: string | undefined): void => {
    if (fault === reported) return;
    reported = fault;
    onFault(fault);
  };
  const refresh = (): void => {
    const found = identityOf(files);
    if (found === identity) return;
    value = make();
    identity = found;
    onRead?.();
  };
  return () => {
    try {
      refresh();
      report(undefined);
    } catch (error) {
      report(messageOf(error));
    }
    return value;
  };
}
