import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { messageOf } from '#shared/errors.ts';

function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code); // The file system's.
  }
}

/**
 * What tells one content of files from another, without reading them: time of change, size and inode, so also where the
 * link to one points, as in a mounted Secret of Kubernetes. What is wrong with a file says who reads it.
 */
function identityOf(files: readonly string[]): string {
  return files.map(stateOf).join('\n');
}

/**
 * What is made of the text of a file, made anew when the file has changed.
 *
 * @param parse when it throws, it is called again the next time
 * @returns gives it; rejects with the error of the system or of `parse`
 */
export function createCachedFile<T>(file: string, parse: (text: string) => T): () => Promise<T> {
  let cached: { readonly identity: string; readonly value: T } | undefined;
  return async () => {
    // Before it is read: what changes meanwhile is seen the next time.
    const identity = identityOf([file]);
    if (cached?.identity !== identity)
      cached = { identity, value: parse(await readFile(file, 'utf8')) };
    return cached.value;
  };
}

/** Files, and what is made of them. */
export interface FollowedFiles<T> {
  readonly files: readonly string[];
  /** Reads them; it throws an error where they cannot be used. */
  readonly make: () => T;
  /** Told once what is wrong with the files since they have changed, and `undefined` when it is mended. */
  readonly onFault: (fault: string | undefined) => void;
  /** Called when something was made of changed files. */
  readonly onRead?: () => void;
}

/**
 * Makes something of files at once, and anew when one of them has changed. While that is not possible, what was made
 * before counts.
 *
 * @returns looks at the files, and gives what counts; it never throws.
 * @throws the error of `make` at first.
 */
export function createFollowedFiles<T>(followed: FollowedFiles<T>): () => T {
  const { files, make, onFault, onRead } = followed;
  // Before they are read: what changes meanwhile is seen at the next look.
  let identity = identityOf(files);
  let value = make();
  let told: string | undefined;
  const tell = (fault: string | undefined): void => {
    if (fault === told) return;
    told = fault;
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
      tell(undefined);
    } catch (error) {
      tell(messageOf(error));
    }
    return value;
  };
}
