import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, type Document, documents, linkTargets, ROOT, readDocument } from './markdown.ts';

const DOCUMENTS = documents();
const REQUIRED = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/architecture.md'];

/** Folders that exist on somebody's machine, not in a repository. */
const PLACE_OUTSIDE =
  /(?<![\w.~/-])(?:\/(?:etc|home|mnt|opt|private|root|srv|tmp|Users|usr|var|work)\/|~\/|file:\/\/|[A-Z]:\\)\S*/g;
/** A path of the repository, as it stands between backticks: no placeholder, no pattern. */
const OWN_PATH = /`((?:\.ci|docs|functions|infra|shared|test)\/[\w./-]*)`/g;

function isBroken(document: Document, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return true;
  return anchor !== undefined && !anchors(readDocument(path)).has(anchor);
}

describe('the documents', () => {
  it('are there', () => {
    expect(DOCUMENTS.map(({ path }) => path)).toEqual(expect.arrayContaining(REQUIRED));
  });

  it.each(DOCUMENTS)('$path: relative links lead somewhere', (document) => {
    expect(linkTargets(document).filter((target) => isBroken(document, target))).toEqual([]);
  });

  it.each(DOCUMENTS)('$path: names no place outside the repository', ({ text }) => {
    expect(text.match(PLACE_OUTSIDE)).toBeNull();
  });

  it.each(DOCUMENTS)('$path: the files and folders that it names exist', ({ prose }) => {
    const named = [...prose.matchAll(OWN_PATH)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(DOCUMENTS)(
    '$path: writes no partition of AWS out: it is another in China',
    ({ text }) => {
      expect(text.match(/arn:aws[\w-]*:.*/g)).toBeNull();
    },
  );

  it('contain the licence that package.json names, whole', () => {
    const licence = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    const { license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(license).toBe('Apache-2.0');
    expect(licence).toMatch(/^\s*Apache License\n\s*Version 2\.0, January 2004\n/);
    expect(licence).toContain('END OF TERMS AND CONDITIONS');
    expect(licence).toMatch(/limitations under the License\.\n$/);
  });
});

/** What a comment cites: `docs/architecture.md, section 5, "The protocol", rule 3`. A line of a comment may break anywhere. */
const CITATION = /docs\/architecture\.md,\s+section\s+([\d.]+\d|\d+)(?:,\s+"([^"]+)")?/g;

describe('the sections of docs/architecture.md that comments of the source cite', () => {
  it('exist', () => {
    const { text } = readDocument('docs/architecture.md');
    const headings = [...text.matchAll(/^(?:#+ +|\*\*)(.+?)(?:\.\*\*.*)?$/gm)].map(
      ([, name]) => name,
    );
    const rules = [...text.matchAll(/^(\d+)\. /gm)].map(([, rule]) => `9.${rule}`);
    const sections = [...text.matchAll(/^## (\d+)\./gm)].map(([, section]) => section);
    const known = new Set([...headings, ...rules, ...sections]);
    const cited = globSync('{functions,shared,local,infra}/**/*.ts', { cwd: ROOT }).flatMap(
      (file) => {
        const comments = readFileSync(join(ROOT, file), 'utf8').replaceAll(
          /\n\s*(?:\*|\/\/)\s?/g,
          ' ',
        );
        const all = [...comments.matchAll(CITATION)];
        return all
          .flatMap(([, ...parts]) => parts.map((part) => ({ file, part })))
          .filter(({ part }) => part);
      },
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ part }) => !known.has(part))).toEqual([]);
  });
});
