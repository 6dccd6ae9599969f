import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STATUS_RULES } from '#shared/core/status/kinds/rules.ts';
import { ROOT, readDocument } from './markdown.ts';
import { quoted, tableRows } from './rules-document.ts';

const { text } = readDocument('CONTRIBUTING.md');
/** What the files of every kind are, with the name of the kind as `<kind>`. */
const FILES = tableRows(text, 'file', 'what it has')
  .flatMap(([files = '']) => quoted(files))
  .filter((file) => file.includes('/'));

const KINDS = [...new Set([...STATUS_RULES.keys()].map((name) => name.replace(/^.*\//, '')))];

/** `PersistentVolumeClaim` as `persistent-volume-claim`, `APIService` as `api-service`. */
function fileName(kind: string): string {
  return kind.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}

describe('the files of a kind in CONTRIBUTING.md', () => {
  const own = FILES.filter((file) => file.includes('<kind>'));

  it.each(KINDS)('exist: %s', (kind) => {
    const files = own.map((file) => file.replace('<kind>', fileName(kind)));
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('are at most five of the tests', () => {
    const tests = FILES.filter((file) => file.startsWith('test/'));
    expect(tests).toEqual(expect.arrayContaining(['test/property/status/kinds/all.ts']));
    expect(tests.length).toBeLessThanOrEqual(5);
  });

  it('are there also where they are the same for all kinds', () => {
    const shared = FILES.filter((file) => !file.includes('<kind>'));
    expect(shared.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

it.each(KINDS)('docs/status.md and CHANGELOG.md name %s among the kinds with a rule', (kind) => {
  for (const file of ['docs/status.md', 'CHANGELOG.md'])
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(new RegExp(`\\b${kind}\\b`));
});
