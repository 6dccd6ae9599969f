import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocks, ROOT } from '#test/unit/docs/markdown.ts';
import { type ShownStep, shownSteps } from '#test/unit/docs/shell.ts';

/** The commands of a section of docs/install.md, with what it shows of their output. */
export async function stepsOf(section: string): Promise<readonly ShownStep[]> {
  const text = await readFile(join(ROOT, 'docs/install.md'), 'utf8');
  const part = text.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  return codeBlocks(part)
    .filter(({ language }) => language === 'console')
    .flatMap(({ code }) => shownSteps(code));
}
