import { join } from 'node:path';
import { build } from 'esbuild';
import { forwarderBundle } from '#infra/bundle-forwarder.ts';
import packageJson from '#package.json' with { type: 'json' };
import { bundledPackages, noticesText } from './bundled-packages.ts';
import { isLegal, legalCommentsOf, sourcesOf } from './bundled-sources.ts';
import type { ReleaseFile } from './command-package.ts';
import { sbomText } from './sbom.ts';

/** What is published about the forwarder's image, which has the same bundle. */
export interface ForwarderNotices {
  /** The list of what is bundled (CycloneDX). */
  readonly sbom: ReleaseFile;
  /** The licences of what is bundled. */
  readonly notices: ReleaseFile;
}

const NAME = 'starfold-event-forwarder';

/**
 * Lists what the forwarder's image has besides Node and Starfold's own code. The same tree and date give the same bytes.
 *
 * @param root the root of the repository, after `npm ci`
 * @param date the time of the list
 * @throws esbuild's BuildFailure, LicenceMissingError
 */
export async function forwarderNotices(root: string, date: Date): Promise<ForwarderNotices> {
  const { outputFiles, metafile } = await build({
    ...forwarderBundle(root),
    outfile: join(root, 'dist', 'event-forwarder.mjs'),
    legalComments: 'external',
    write: false,
    metafile: true,
  });
  const comments = outputFiles.filter(({ path }) => isLegal(path)).map(({ text }) => text);
  const packages = bundledPackages(root, sourcesOf(Object.values(metafile.outputs)));
  const { version } = packageJson;
  const file = (suffix: string, text: string): ReleaseFile => ({
    file: `${NAME}-${version}.${suffix}`,
    content: Buffer.from(text),
  });
  return {
    sbom: file('cdx.json', sbomText(root, { name: NAME, version, packages, date })),
    notices: file('THIRD-PARTY-NOTICES', noticesText(packages, legalCommentsOf(comments))),
  };
}
