import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of which something is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json names it: an SPDX expression. */
  readonly license: string;
  /** Its licence and its notices, as it brings them. */
  readonly texts: readonly string[];
}

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
/** The folder of the innermost package in which a file is. */
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** A package has no licence. The message has its name. */
export class LicenceMissingError extends Error {
  override readonly name = 'LicenceMissingError';
}

function readPackage(root: string, folder: string): BundledPackage {
  const path = join(root, folder);
  // npm has checked the types of these members.
  const { name, version, license } = JSON.parse(
    readFileSync(join(path, 'package.json'), 'utf8'),
  ) as { readonly name: string; readonly version: string; readonly license?: string };
  if (license === undefined)
    throw new LicenceMissingError(
      `${name}@${version} names no licence in its package.json: it must not be bundled`,
    );
  const texts = readdirSync(path)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(path, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return { name, version, license, texts };
}

/**
 * The packages in which source files are, sorted by name and version.
 *
 * @param root the root of the repository
 * @param sources paths from there
 * @throws LicenceMissingError if one has no licence
 */
export function bundledPackages(
  root: string,
  sources: readonly string[],
): readonly BundledPackage[] {
  const folders = new Set(
    sources.flatMap((source) => PACKAGE_FOLDER.exec(source)?.slice(1, 2) ?? []),
  );
  const packages = new Map(
    [...folders].map((folder) => {
      const found = readPackage(root, folder);
      return [`${found.name}@${found.version}`, found];
    }),
  );
  return [...packages.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
}

/**
 * The text of THIRD-PARTY-NOTICES: each licence once, below the packages that have it.
 *
 * @param legalComments comments with copyrights that stand in the packages' files
 */
export function noticesText(packages: readonly BundledPackage[], legalComments: string): string {
  const titlesByText = new Map<string, string[]>();
  for (const { name, version, license, texts } of packages) {
    const text =
      texts.length > 0 ? texts.join('\n\n') : `(The package only names its licence: ${license}.)`;
    const titles = titlesByText.get(text) ?? [];
    titlesByText.set(text, [...titles, `${name} ${version} (${license})`]);
  }
  const sections = [...titlesByText].map(([text, titles]) => `${titles.join('\n')}\n\n${text}`);
  return `${[
    'The code of Starfold is bundled with code of the packages below. Each list of packages is followed by their licence.',
    ...sections,
    `Comments on copyrights in the files of these packages:\n\n${legalComments}`,
  ].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
