import { readFile, stat } from 'node:fs/promises';

/** What tells one content of a file from another, without reading it. */
async function identityOf(file: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(file);
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

/**
 * What is made of files, made anew when one of them has changed: by another time of change, size or inode, so also when
 * the link to it points elsewhere, as in a mounted Secret of Kubernetes.
 *
 * @param make reads the files; when it throws, it is called again the next time
 * @returns gives it; rejects with the error of the system or of `make`
 */
export function createCachedFiles<T>(
  files: readonly string[],
  make: () => T | Promise<T>,
): () => Promise<T> {
  let cached: { readonly identity: string; readonly value: T } | undefined;
  return async () => {
    // Before they are read: what changes meanwhile is seen the next time.
    const identity = (await Promise.all(files.map(identityOf))).join('\n');
    if (cached?.identity !== identity) cached = { identity, value: await make() };
    return cached.value;
  };
}

/** As {@link createCachedFiles}, of the text of one file. */
export function createCachedFile<T>(file: string, parse: (text: string) => T): () => Promise<T> {
  return createCachedFiles([file], async () => parse(await readFile(file, 'utf8')));
}
