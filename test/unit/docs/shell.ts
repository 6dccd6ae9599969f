import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeBlocks, type Document, documents } from './markdown.ts';

/** A command of a document: its words, as the shell passes them to the program. */
export interface DocumentedCommand {
  readonly path: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** The programs of a shell that the documents use for files and texts. */
export const TOOLS = ['base64', 'cat', 'cp', 'mkdir', 'openssl', 'rm', 'sed', 'tar', 'tr'] as const;

/** All other programs. */
export const PROGRAMS = [
  ...['apt-get', 'aws', 'bash', 'curl', 'docker', 'helm', 'kubectl', 'npm', 'npx', 'starfold'],
  ...['infra/local/kind.sh', 'infra/local/kube-assets/build-helm.sh'],
  // Behind the folder that the script prints.
  '/helm',
] as const;

/** What the user has or makes before, with other commands than those of the document. */
const GIVEN = ['tls.crt', 'tls.key', 'ca.crt', 'notifications.yaml', '.out/extension-starfold.js'];

/** A line with a prompt, with those that continue it: behind a backslash or a pipe, or of a here-document. */
const PROMPTED = /^\$ (?:.*<<(\w+)(?:.*\n)+?\1$|(?:.*[\\|]\n)*.*$)/gm;

/** A command of a block of `console`, and what the block shows of its output. */
export interface ShownStep {
  readonly typed: string;
  /** `''` if the block shows none. */
  readonly output: string;
}

/** The commands of a block of `console`, in order. */
export function shownSteps(code: string): readonly ShownStep[] {
  const found = [...code.matchAll(PROMPTED)];
  return found.map(({ 0: lines, index }, at) => ({
    typed: lines.slice('$ '.length),
    output: code.slice(index + lines.length, found[at + 1]?.index).trim(),
  }));
}

function promptedLines(code: string): string {
  return shownSteps(code)
    .map(({ typed }) => typed)
    .join('\n');
}

/** What a block of a document has a user type; `''` if it has no commands. */
export function typedLines({ language, code }: ReturnType<typeof codeBlocks>[number]): string {
  if (language === 'sh') return code;
  return language === 'console' ? promptedLines(code) : '';
}

/** The script of all commands of a document. */
export function scriptOf({ text }: Document): string {
  return codeBlocks(text).map(typedLines).filter(Boolean).join('\n');
}

/** The documents with commands. */
export function documentsWithCommands(): readonly Document[] {
  return documents().filter((document) => scriptOf(document) !== '');
}

/** How a script of a document ended, in a folder of its own. */
export interface Played {
  readonly stderr: string;
  /** What the functions of the prelude have written to `"$RECORD"`: texts, each behind a NUL. */
  readonly record: readonly string[];
}

/** What the commands of a document are run with. */
export interface Stage {
  /** Functions in place of programs. */
  readonly prelude: string;
  readonly env: Readonly<Record<string, string>>;
  /** Puts into the folder what else is there. */
  readonly prepare?: (folder: string) => void;
}

/** Runs the commands of a document in bash, in a folder that is made for them. */
export function play(document: Document, { prelude, env, prepare }: Stage): Played {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-document-'));
  try {
    for (const file of GIVEN) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    prepare?.(folder);
    const record = join(folder, 'record');
    writeFileSync(record, '');
    const { stderr, error } = spawnSync(
      '/bin/bash',
      ['--norc', '-c', `${prelude}\n${scriptOf(document)}\nwait`],
      {
        cwd: folder,
        env: { ...env, RECORD: record, NO_COLOR: '1' },
        encoding: 'utf8',
        timeout: 120_000,
      },
    );
    if (error !== undefined) throw error;
    return { stderr, record: readFileSync(record, 'utf8').split('\0').slice(0, -1) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The commands of a document, with the words that bash makes of them. No program runs.
 *
 * @throws SyntaxError if bash cannot read the commands, or knows none of {@link PROGRAMS} and {@link TOOLS} in one of them.
 */
export function commandsOf(document: Document): readonly DocumentedCommand[] {
  const prelude = [...PROGRAMS, ...TOOLS].map(
    (program) => `${program}() { printf '%s\\0' $# ${program} "$@" >> "$RECORD"; }`,
  );
  // It waits for the command whose output it is given.
  prelude.push('source() { [[ $# == 0 ]] || read -r _ < "$1" || true; }');
  const { record, stderr } = play(document, {
    prelude: prelude.join('\n'),
    env: { PATH: '/nowhere', IMAGE: 'registry.example.com/starfold/starfold' },
  });
  if (stderr !== '') throw new SyntaxError(`${document.path}: ${stderr}`);
  const found: DocumentedCommand[] = [];
  for (let at = 0; at < record.length; ) {
    const count = Number(record[at]);
    const [program = '', ...args] = record.slice(at + 1, at + 2 + count);
    found.push({ path: document.path, program, args });
    at += 2 + count;
  }
  return found;
}
