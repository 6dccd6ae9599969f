import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, readDocument } from './markdown.ts';

const DECISIONS = documents().filter(({ path }) => path.startsWith('docs/adr/'));
const SECTIONS = ['Context', 'Decision', 'Consequences', 'Status'];
/** A page. */
const MAX_LINES = 60;

describe('the decisions', () => {
  it('are numbered from 0001 on, without a gap', () => {
    const numbers = DECISIONS.map(({ path }) => basename(path).slice(0, 5));
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual(
      DECISIONS.map((_decision, index) => `${String(index + 1).padStart(4, '0')}-`),
    );
  });

  it.each(DECISIONS)('$path: has its number, the four sections and a date', ({ path, text }) => {
    const [title = ''] = text.split('\n');
    expect(title.startsWith(`# ${basename(path).slice(0, 4)}: `)).toBe(true);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, section]) => section);
    expect(sections).toEqual(SECTIONS);
    const status = text.slice(text.indexOf('## Status'));
    expect(status).toMatch(/(?:Accepted|Superseded by \[\d{4}\]\(\S+\)), 20\d\d-[01]\d-[0-3]\d\./);
  });

  it.each(DECISIONS)('$path: is one page', ({ text }) => {
    expect(text.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  it.each(['docs/README.md', 'docs/architecture.md'])('are all listed in %s', (path) => {
    const { prose } = readDocument(path);
    const missing = DECISIONS.filter(
      (decision) => !prose.includes(`adr/${basename(decision.path)})`),
    );
    expect(missing.map((decision) => decision.path)).toEqual([]);
  });
});
