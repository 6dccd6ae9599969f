import { join } from 'node:path';
import { build } from 'esbuild';
import { forwarderBundle } from '#infra/bundle-forwarder.ts';
import { bundledPackages } from './bundled-packages.ts';
import { isLegal, legalCommentsOf, sourcesOf } from './bundled-sources.ts';
import { type ImageNotices, imageNotices } from './image-notices.ts';

const NAME = 'starfold-event-forwarder';

/**
 * Lists what the forwarder's image has. The same tree and date give the same bytes.
 *
 * @param root the root of the repository, after `npm ci`
 * @param date the time of the list
 * @throws esbuild's BuildFailure, LicenceMissingError
 */
export async function forwarderNotices(root: string, date: Date): Promise<ImageNotices> {
  const { outputFiles, metafile } = await build({
    ...forwarderBundle(root),
    outfile: join(root, 'dist', 'event-forwarder.mjs'),
    legalComments: 'external',
    write: false,
    metafile: true,
  });
  const comments = outputFiles.filter(({ path }) => isLegal(path)).map(({ text }) => text);
  const packages = bundledPackages(root, sourcesOf(Object.values(metafile.outputs)));
  const bundled = { packages, legalComments: legalCommentsOf(comments) };
  return imageNotices(root, { name: NAME, bundled, date });
}
