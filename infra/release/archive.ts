import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import type { PackedFile } from './bundle-command.ts';

/**
 * The files of the repository at these paths: files, folders, or patterns of git. Only files that git knows: nothing else in these
 * folders gets into a package.
 *
 * @param root the root of the repository
 */
export function trackedFiles(root: string, paths: readonly string[]): readonly PackedFile[] {
  const patterns = paths.flatMap((path) => [`:(glob)${path}`, `:(glob)${path}/**`]);
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => ({ name, content: readFileSync(join(root, name)) }));
}

/**
 * A compressed archive in npm's format. The same files and date give the same bytes.
 *
 * @param folder the folder in the archive that has everything
 * @param mtime the time of every file
 */
export async function archive(
  folder: string,
  files: readonly PackedFile[],
  mtime: Date,
): Promise<Uint8Array> {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const tar = await packTar(
    sorted.map(({ name, content, isProgram = false }) => ({
      header: {
        name: `${folder}/${name}`,
        size: content.length,
        mode: isProgram ? 0o755 : 0o644,
        mtime,
        uid: 0,
        gid: 0,
      },
      body: content,
    })),
  );
  return gzipSync(tar, { level: 9 });
}
