import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '#package.json' with { type: 'json' };
import { type BundledPackage, bundledPackages, noticesText } from './bundled-packages.ts';
import { sbomText } from './sbom.ts';

/** A file that is published. */
export interface ReleaseFile {
  /** Such as `starfold-0.1.0.tgz`. */
  readonly file: string;
  readonly content: Uint8Array;
}

/** What is published about an image. */
export interface ImageNotices {
  /** The list of what is bundled, and Node (CycloneDX). */
  readonly sbom: ReleaseFile;
  /** The licences of these. */
  readonly notices: ReleaseFile;
}

/** What is bundled in an image. */
export interface Bundled {
  readonly packages: readonly BundledPackage[];
  /** Comments with copyrights that stand in the packages' files. */
  readonly legalComments: string;
}

/** The package of npm in which Node itself is. */
function nodePackage(root: string): BundledPackage {
  const { node } = packageJson.devDependencies;
  const folder = join('node_modules', 'node', 'node_modules');
  const files = readdirSync(join(root, folder))
    .filter((name) => name.startsWith('node-'))
    .map((name) => join(folder, name, 'package.json'));
  const found = bundledPackages(root, files).find(({ version }) => version === node);
  if (found === undefined) throw new Error(`there is no Node ${node} in ${folder}: run npm ci`);
  return { ...found, name: 'node' };
}

/**
 * Lists what an image has besides Starfold's own code and the libraries of its base, which the image lists itself
 * (`infra/image-root.ts`). The same tree and date give the same bytes.
 *
 * @param root the root of the repository, after `npm ci`
 * @param name the beginning of the names of the files
 * @param date the time of the list
 */
export function imageNotices(
  root: string,
  {
    name,
    bundled,
    date,
  }: { readonly name: string; readonly bundled: Bundled; readonly date: Date },
): ImageNotices {
  const { version } = packageJson;
  const { packages, legalComments } = bundled;
  const node = nodePackage(root);
  const file = (suffix: string, text: string): ReleaseFile => ({
    file: `${name}-${version}.${suffix}`,
    content: Buffer.from(text),
  });
  return {
    sbom: file('cdx.json', sbomText(root, { name, version, packages, date, node: node.version })),
    notices: file('THIRD-PARTY-NOTICES', noticesText([...packages, node], legalComments)),
  };
}
