import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, commands, ROOT, readDocument } from './markdown.ts';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

// The file has both: the test fails below if it has not.
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** npm's own commands, and those that run the script of the same name. */
const NPM_COMMANDS = ['ci'];
const NPM_SCRIPTS = ['start', 'test'];

/** Blocks of `sh` are for running, as they stand, in a fresh clone; `console` shows what one sees elsewhere. */
function runnable(path: string): readonly (readonly string[])[] {
  return codeBlocks(readDocument(path).text)
    .filter(({ language, code }) => language === 'sh' && !code.includes('node --input-type'))
    .flatMap(({ code }) => commands(code));
}

function hasBin(name: string): boolean {
  const own = MANIFEST.bin[name];
  return existsSync(join(ROOT, own ?? `node_modules/.bin/${name}`));
}

function problemOfNpm(command: string | undefined, script: string | undefined): string | undefined {
  if (command === undefined) return 'npm alone does nothing';
  if (NPM_COMMANDS.includes(command)) return undefined;
  const name = command === 'run' ? script : NPM_SCRIPTS.find((known) => known === command);
  return name !== undefined && name in MANIFEST.scripts ? undefined : 'no such npm script';
}

function problemOfScript(path: string): string | undefined {
  if (!path.includes('/')) return 'not a command that a reader is known to have';
  return existsSync(join(ROOT, path)) ? undefined : 'no such script';
}

/** Why a command cannot work in a fresh clone; `undefined` where nothing speaks against it. */
function problemOf([program = '', ...words]: readonly string[]): string | undefined {
  const files = words.map((word) => word.replace(/^\w+=/, ''));
  const missing = files.filter(
    (file) => /^(?:docs|functions|infra|test)\//.test(file) && !existsSync(join(ROOT, file)),
  );
  if (missing.length > 0) return `no such file: ${missing.join(', ')}`;
  switch (program) {
    case 'npm':
      return problemOfNpm(words[0], words[1]);
    case 'npx':
      return hasBin(words[0] ?? '') ? undefined : 'no such bin';
    case 'kubectl':
    case 'export':
      return undefined;
    case 'bash':
      return problemOfScript(words[0] ?? '');
    case 'apt-get':
      return undefined;
    default:
      return problemOfScript(program);
  }
}

describe('the commands that a reader can copy', () => {
  it('begin with the two that install, start and test', () => {
    const texts = runnable('README.md').map((words) => words.join(' '));
    expect(texts).toEqual(expect.arrayContaining(['npm ci', 'npm start', 'npm test']));
  });

  it.each(['README.md', 'docs/tutorial.md', 'docs/clusters.md', 'docs/protocol/README.md'])(
    '%s: each exists',
    (path) => {
      const found = runnable(path);
      expect(found.length).toBeGreaterThan(0);
      const problems = found.flatMap((words) => {
        const problem = problemOf(words);
        return problem === undefined ? [] : [`${words.join(' ')}: ${problem}`];
      });
      expect(problems).toEqual([]);
    },
  );
});

/** What the command line prints, as in a fresh clone: it fails where the exit code is not 0. */
function starfold(args: readonly string[]): string {
  const bin = join(ROOT, MANIFEST.bin['starfold'] ?? '');
  return execFileSync(process.execPath, [bin, ...args], { cwd: ROOT, encoding: 'utf8' });
}

describe('what the documents show of the command line', () => {
  const examples = runnable('docs/tutorial.md')
    .filter(([program, name]) => program === 'npx' && name === 'starfold')
    .map(([, , command = '', ...args]) => ({ command, args }));
  const shown = ['README.md', 'docs/tutorial.md'].flatMap((path) =>
    codeBlocks(readDocument(path).text).map(({ code }) => code),
  );
  const PROMPT = '$ npx starfold explain deployment/web -n shop';

  it.each([
    { command: 'eval', begins: 'status:', format: 'yaml' },
    { command: 'health', begins: '┌', format: 'table' },
  ])('starfold $command prints it', ({ command, begins, format }) => {
    const example = examples.find((one) => one.command === command);
    const excerpt = shown.find((code) => code.startsWith(begins)) ?? 'no excerpt';
    expect(starfold([command, ...(example?.args ?? []), '-o', format])).toContain(excerpt);
  });

  it('starfold explain prints what follows its prompt in the README', () => {
    const example = examples.find((one) => one.command === 'explain');
    const block = shown.find((code) => code.startsWith(PROMPT)) ?? '';
    const output = block.slice(block.indexOf('wec2.yaml\n') + 'wec2.yaml\n'.length);
    expect(starfold(['explain', ...(example?.args ?? [])])).toBe(output);
  });

  it('is short in the README', () => {
    expect(readDocument('README.md').text.split('\n').length).toBeLessThanOrEqual(120);
  });
});
