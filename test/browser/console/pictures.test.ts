import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groundOf } from './pictures/images.ts';

const SCRIPT = join(import.meta.dirname, 'take-pictures.ts');
const DOCUMENTED = join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');
const folder = mkdtempSync(join(tmpdir(), 'starfold-screens-'));
/** Each step of the story waits until all queues are empty. The script ends before the hook, so what it has said is shown. */
const LIMIT_MS = 600_000;
const HOOK_LIMIT_MS = LIMIT_MS + 30_000;

beforeAll(async () => {
  const options = { timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const;
  await promisify(execFile)(execPath, [SCRIPT, '--into', folder], options);
}, HOOK_LIMIT_MS);

afterAll(() => rmSync(folder, { recursive: true }));

describe('the pictures of the console, taken from a run of the embedded stack', () => {
  it('are those that the documents show: each screen in both themes, and one that moves', () => {
    const taken = readdirSync(folder).toSorted();
    expect(taken).toEqual(readdirSync(DOCUMENTED).toSorted());
    const screens = ['overview', 'workload', 'combined', 'why', 'what-if', 'wec', 'query'];
    const themes = ['dark', 'light'];
    for (const name of screens.flatMap((one) => themes.map((theme) => `${one}-${theme}.png`)))
      expect(taken).toContain(name);
  });

  it.each([
    // The bar at the top lets the ground shine through.
    ['dark', '#0d1119'],
    ['light', '#f6f7f9'],
  ])('have the size of those, and the first pixel of the %s theme', (theme, colour) => {
    const pictures = readdirSync(folder).filter((name) => name.endsWith(`-${theme}.png`));
    expect(pictures).toHaveLength(7);
    for (const name of pictures) {
      const ground = groundOf(readFileSync(join(folder, name)));
      expect(ground).toEqual({ size: '1440x900', colour });
      expect(ground).toEqual(groundOf(readFileSync(join(DOCUMENTED, name))));
    }
  });
});
