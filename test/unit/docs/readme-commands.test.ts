import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, ROOT, readDocument } from './markdown.ts';
import { commandsOf, type DocumentedCommand, documentsWithCommands, shownSteps } from './shell.ts';
import { asShown, comparable } from './shown-output.ts';
import { runOffline } from './starfold-commands.ts';

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
}

// The file has both: the test fails below if it has not.
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The commands of a document, as a reader copies them. */
function commandsIn(path: string): readonly DocumentedCommand[] {
  return commandsOf(readDocument(path));
}

describe('the commands that a reader can copy', () => {
  it('begin with those that install, start and test', () => {
    const texts = commandsIn('README.md').map(({ program, args }) => [program, ...args].join(' '));
    expect(texts).toEqual(expect.arrayContaining(['npm ci', 'npm start', 'npm test']));
  });
});

/** What the command line prints, as in a fresh clone: it fails where the exit code is not 0. */
function starfold(args: readonly string[]): string {
  const bin = join(ROOT, MANIFEST.bin['starfold'] ?? '');
  return execFileSync(process.execPath, [bin, ...args], { cwd: ROOT, encoding: 'utf8' });
}

describe('what the documents show of the command line', () => {
  const examples = commandsIn('docs/tutorial.md')
    .filter(({ program, args: [name] }) => program === 'npx' && name === 'starfold')
    .map(({ args: [, command = '', ...args] }) => ({ command, args }));
  const shown = ['README.md', 'docs/tutorial.md'].flatMap((path) =>
    codeBlocks(readDocument(path).text).map(({ code }) => code),
  );

  it.each([
    { command: 'eval', begins: 'status:', format: 'yaml' },
    { command: 'health', begins: '┌', format: 'table' },
  ])('starfold $command prints it', ({ command, begins, format }) => {
    const example = examples.find((one) => one.command === command);
    const excerpt = shown.find((code) => code.startsWith(begins)) ?? 'no excerpt';
    expect(starfold([command, ...(example?.args ?? []), '-o', format])).toContain(excerpt);
  });

  const steps = documentsWithCommands()
    .flatMap(({ text }) => codeBlocks(text))
    .filter(({ language }) => language === 'console')
    .flatMap(({ code }) => shownSteps(code))
    .filter(({ typed, output }) => /^(?:npx )?starfold /.test(typed) && output !== '')
    .flatMap(({ typed, output }) => {
      const text = `\`\`\`sh\n${typed}\n\`\`\`\n`;
      const [command] = commandsOf({ path: typed, text, prose: '' });
      const args = (command?.args ?? []).filter((word) => word !== 'starfold');
      const run = runOffline(args);
      return run === undefined ? [] : [{ typed, output, run }];
    });

  it('is shown of a command without an installation', () => {
    expect(steps.map(({ typed }) => typed)).toEqual(
      expect.arrayContaining([expect.stringContaining('explain'), 'starfold --version']),
    );
  });

  it.each(steps)('$typed prints what follows its prompt', ({ output, run }) => {
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(asShown(run.out, output)).toBe(comparable(output));
  });

  it('is short in the README', () => {
    expect(readDocument('README.md').text.split('\n').length).toBeLessThanOrEqual(120);
  });
});
