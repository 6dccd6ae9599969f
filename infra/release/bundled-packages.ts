import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LicenceMissingError, spdxText } from './licence-text.ts';

/** A package of which something is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json names it: an SPDX expression. */
  readonly license: string;
  /** Its licence and its notices, as it brings them; or else what SPDX says of the licence. Never empty. */
  readonly texts: readonly string[];
}

const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;
const NOTICE_FILE = /^notice(?:[.-].*)?$/i;
/** A line of a comment that names who has the copyright, such as `// Copyright 2008 Google Inc.` */
const COPYRIGHT = /^[ \t/*]*(copyright (?:\(c\) |© )?\d{4}\b.*?)[ \t]*$/gim;
/** The folder of the innermost package in which a file is. */
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The members of package.json that are read here. npm has checked their types. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** Who has the copyright: as the files say, or else the author. */
function copyrightsIn(files: readonly string[], { author }: Manifest): readonly string[] {
  const lines = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(COPYRIGHT)].flatMap(([, line = '']) => line),
  );
  if (lines.length > 0) return [...new Set(lines)].sort();
  if (author === undefined) return [];
  return [`Copyright (c) ${typeof author === 'string' ? author : author.name}`];
}

/** @param files those of its files of which something is bundled, as paths from the root of the repository */
function readPackage(root: string, folder: string, files: readonly string[]): BundledPackage {
  const path = join(root, folder);
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const title = `${name}@${version}`;
  if (license === undefined)
    throw new LicenceMissingError(
      `${title} names no licence in its package.json: do not bundle the package`,
    );
  const textsOf = (pattern: RegExp) =>
    readdirSync(path)
      .filter((file) => pattern.test(file))
      .sort()
      .map((file) => readFileSync(join(path, file), 'utf8').replaceAll('\r\n', '\n').trim())
      .filter((text) => text !== '');
  const own = textsOf(LICENCE_FILE);
  const sources = files.map((file) => join(root, file));
  const texts =
    own.length > 0
      ? own
      : [spdxText({ title, license, copyrights: copyrightsIn(sources, manifest) })];
  return { name, version, license, texts: [...texts, ...textsOf(NOTICE_FILE)] };
}

/**
 * The packages in which source files are, sorted by name and version.
 *
 * @param root the root of the repository
 * @param sources paths from there
 * @throws LicenceMissingError if the text of the licence of one is not known
 */
export function bundledPackages(
  root: string,
  sources: readonly string[],
): readonly BundledPackage[] {
  const files = Map.groupBy(sources, (source) => PACKAGE_FOLDER.exec(source)?.[1]);
  const packages = new Map(
    [...files].flatMap(([folder, inside]) => {
      // The repository's own files.
      if (folder === undefined) return [];
      const found = readPackage(root, folder, inside);
      return [[`${found.name}@${found.version}`, found]];
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
    const text = texts.join('\n\n');
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
