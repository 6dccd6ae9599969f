import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as iam from '@aws-sdk/client-iam';
import * as secretsmanager from '@aws-sdk/client-secrets-manager';
import * as ssm from '@aws-sdk/client-ssm';
import type { Command } from 'commander';
import { createServeApi } from '#functions/serve-api/lambda.ts';
import { createProgram } from '#local/cli/program.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { planStart } from '#local/start/plan.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { ask } from '#test/unit/serve-api/request.ts';
import { ROOT } from './markdown.ts';
import { runOffline } from './starfold-commands.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

// The file has these members: the checks fail if it has not.
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Why a command cannot work as it stands; `undefined` if nothing speaks against it. */
type Fault = string | undefined;
type Check = (args: readonly string[]) => Fault | Promise<Fault>;

/** What a document's command is checked by. */
export interface CheckedProgram {
  readonly check: Check;
  /** The tests that run commands of this program as they stand in documents, or what the commands start. */
  readonly tests: readonly string[];
  /** Why no test runs some of them as they stand. */
  readonly notRun?: string;
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Files without a folder, and those below a folder that starts with a dot, are the user's. */
function missingFiles(words: readonly string[]): Fault {
  const missing = words
    .map((word) => word.replace(/^[^/=]+=/, ''))
    .filter((word) => /^(?:docs|extensions|functions|infra|local|shared|test|tools)\//.test(word))
    .filter((path) => !existsSync(join(ROOT, path)));
  return missing.length === 0 ? undefined : `no such file: ${missing.join(', ')}`;
}

const READ = { ok: true } as const;
/** The arguments were read: the command would begin. */
class Reached extends Error {}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** Has the command's own parser read the arguments. */
async function parse(args: readonly string[]): Promise<Fault> {
  let usage = '';
  const terminal: Terminal = {
    out: () => undefined,
    drained: async () => undefined,
    notice: () => undefined,
    progress: () => undefined,
    usage: (more) => {
      usage += more;
    },
    input: async () => new Uint8Array(),
    isTerminal: false,
    columns: 80,
    clock: () => 0,
  };
  const program = await createProgram({ args, name: 'starfold' }, terminal);
  // After the command's own hooks.
  for (const command of leavesOf(program))
    command.hook('preAction', () => {
      const planning = command.name() === 'start' ? planStart(command.opts()) : READ;
      throw planning.ok ? new Reached() : new UsageError(planning.fault);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof Reached) return undefined;
    return `${String(error)}\n${usage}`;
  }
  return `does nothing: ${usage}`;
}

/** Runs the command if it needs no installation; else its parser reads the arguments. */
async function starfold(args: readonly string[]): Promise<Fault> {
  const run = runOffline(args);
  if (run === undefined) return (await parse(args)) ?? missingFiles(args);
  return run.code === 0 ? undefined : `exit code ${run.code}: ${run.err}`;
}

function bench(args: readonly string[]): Fault {
  const [section] = args;
  return section === undefined ||
    new RegExp(`^  '?${section}'?: `, 'm').test(text('test/bench/run.ts'))
    ? undefined
    : `no such section: ${section}`;
}

function npmScript(name: string, args: readonly string[]): Fault {
  if (!(name in MANIFEST.scripts)) return `no such script: ${name}`;
  return name === 'bench' ? bench(args) : missingFiles(args);
}

function npm([command = '', ...words]: readonly string[]): Fault | Promise<Fault> {
  const given = words.slice(words.indexOf('--') + 1 || words.length);
  switch (command) {
    case 'ci':
      return words.length === 0 ? undefined : 'the documents use no option of it';
    case 'install':
      return words.includes(`./${MANIFEST.name}-${MANIFEST.version}.tgz`)
        ? undefined
        : 'this is not the name of the package';
    case 'start':
      return starfold(['start', ...given]);
    case 'test':
      return npmScript(command, given);
    case 'run':
      return npmScript(words[0] ?? '', given);
    default:
      return `the documents use no npm ${command}`;
  }
}

function npx([name = '', ...args]: readonly string[]): Fault | Promise<Fault> {
  if (name === 'starfold') return starfold(args);
  if (name === 'node') {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    return status === 0 ? undefined : `exit code ${status}: ${stderr}`;
  }
  return existsSync(join(ROOT, 'node_modules/.bin', name)) ? missingFiles(args) : 'no such bin';
}

/** What a word after an option of a program is. */
function optionOf(args: readonly string[], ...names: readonly string[]): string {
  return args[args.findIndex((word) => names.includes(word)) + 1] ?? '';
}

/** Whether two words run what the image of Starfold runs, in its folder. */
function isOfImage([program = '', script = '']: readonly string[]): boolean {
  const image = text('infra/Dockerfile').split(' AS starfold\n')[1] ?? '';
  const [, words = '[]'] = /^ENTRYPOINT (.*)$/m.exec(image) ?? [];
  const [, folder = ''] = /^WORKDIR (.*)$/m.exec(image) ?? [];
  const entry = JSON.parse(words) as readonly string[];
  return program === basename(entry[0] ?? '') && resolve(folder, script) === entry.at(-1);
}

/** What is run in the pod of the chart is the command of the image. */
async function kubectl(args: readonly string[]): Promise<Fault> {
  if (!args.includes('exec')) return missingFiles(args);
  const inPod = args.slice(args.indexOf('--') + 1);
  return isOfImage(inPod) ? parse(inPod.slice(2)) : 'this is not the program of the image';
}

function docker([command = '', ...args]: readonly string[]): Fault | Promise<Fault> {
  switch (command) {
    case 'build': {
      const file = optionOf(args, '-f');
      const target = optionOf(args, '--target');
      if (!existsSync(join(ROOT, file))) return `no such file: ${file}`;
      return text(file).includes(` AS ${target}\n`) ? undefined : `no such target: ${target}`;
    }
    case 'run':
      return starfold(
        args.slice(args.findIndex((word) => word.endsWith(`:${MANIFEST.version}`)) + 1),
      );
    default:
      return command === 'push' ? undefined : `the documents use no docker ${command}`;
  }
}

const AWS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cloudformation,
  dynamodb,
  iam,
  secretsmanager,
  ssm,
};
/** Options of every command of `aws`. */
const OF_EVERY_AWS_COMMAND = ['Output', 'Query', 'Region'];

function pascal(text: string): string {
  return text.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** The AWS CLI is generated from the models that the SDK is generated from: its options are the members of the input. */
function aws([service = '', command = '', ...args]: readonly string[]): Fault {
  const Command = AWS[service]?.[`${pascal(command)}Command`];
  if (typeof Command !== 'function') return `no such command: ${service} ${command}`;
  // A constructor of the SDK's. Its schema lists the members of the input fifth.
  const { schema } = Reflect.construct(Command, [{}]) as { readonly schema: readonly unknown[] };
  const input = typeof schema[4] === 'function' ? schema[4]() : schema[4];
  const members: readonly string[] = input[4];
  const unknown = args
    .filter((word) => word.startsWith('--'))
    .map((word) => pascal(word.replace(/^--(?:no-)?/, '')))
    .filter((name) => !members.includes(name) && !OF_EVERY_AWS_COMMAND.includes(name));
  return unknown.length === 0 ? undefined : `no such option: ${unknown.join(', ')}`;
}

/** What serves Fleet's paths knows the path. */
async function curl(args: readonly string[]): Promise<Fault> {
  const { pathname, search } = new URL(args.at(-1) ?? '', 'https://api.example.com');
  const { observability } = createObservedOutput({ service: 'serve-api' });
  const api = createServeApi({ store: createMemoryItemStore() }, observability);
  const { status, text: answer } = await ask(api, pathname + search);
  return status === 404 && answer.includes('rancher1') ? undefined : `${status}: ${answer}`;
}

/** A script of the repository; each word is one that its text knows. */
function script(path: string): Check {
  return ([word = '']) => {
    if (!existsSync(join(ROOT, path))) return `no such script: ${path}`;
    return text(path).includes(word) ? undefined : `${basename(path)} knows no ${word}`;
  };
}

/** They run docs/install.md, command by command. */
const INSTALL = ['test/e2e/install-first.test.ts', 'test/e2e/install-sections.test.ts'];
const STARFOLD = [
  'test/unit/docs/readme-commands.test.ts',
  'test/unit/docs/operator-commands.test.ts',
  'test/e2e/documented-starts.test.ts',
  'test/e2e/documented-questions.test.ts',
];
const TOOL: CheckedProgram = {
  check: missingFiles,
  tests: ['test/e2e/documented-commands.test.ts', 'test/e2e/install-sections.test.ts'],
};
const HELM: CheckedProgram = {
  check: missingFiles,
  tests: [...INSTALL, 'test/e2e/chart-docs.test.ts', 'test/e2e/starfold-chart-start.test.ts'],
  notRun:
    'Starfold itself needs a cluster with nodes: the tests render its chart with these values, and run what the pod would run',
};

/** How the commands of each program are tested. Here are those that cannot run in a test, and why. */
export const CHECKED: Readonly<Record<string, CheckedProgram>> = {
  starfold: {
    check: starfold,
    tests: [...INSTALL, ...STARFOLD, 'test/release/command-package.test.ts'],
    notRun: 'those that ask a deployment on AWS, or take a cluster over: the parser reads them',
  },
  npx: {
    check: npx,
    tests: [...INSTALL, ...STARFOLD],
    notRun: 'as starfold',
  },
  npm: {
    check: npm,
    tests: [
      '.ci/run',
      'test/e2e/documented-starts.test.ts',
      'test/release/command-package.test.ts',
    ],
    notRun:
      'the scripts run in CI, or take hours: they have to be there, with the files that are named',
  },
  kubectl: {
    check: kubectl,
    tests: [...INSTALL, 'test/e2e/documented-commands.test.ts'],
    notRun: 'those that write are run with --dry-run=server, apart from docs/install.md',
  },
  helm: HELM,
  '/helm': HELM,
  docker: {
    check: docker,
    tests: ['infra/local/image.sh'],
    notRun:
      'no image can be pulled or pushed: the same Dockerfile is built on another base, and its image is run',
  },
  aws: {
    check: aws,
    tests: ['test/emulator/deployment.test.ts'],
    notRun: 'the AWS CLI is not installed: the SDK makes the same calls, and knows the options',
  },
  curl: {
    check: curl,
    tests: ['test/unit/serve-api/lambda.test.ts', 'test/emulator/deployment.test.ts'],
    notRun: 'nobody serves these addresses: what would serve them knows the paths',
  },
  bash: { check: ([path = '', ...args]) => script(path)(args.slice(0, 1)), tests: ['.ci/run'] },
  'apt-get': {
    check: ([command]) => (command === 'install' ? undefined : 'the documents only install'),
    tests: ['.ci/run'],
    notRun: 'CI installs these packages, with others',
  },
  'infra/local/kind.sh': {
    check: script('infra/local/kind.sh'),
    tests: ['test/unit/infra/chart-kind.test.ts'],
    notRun: 'it needs images of kind: the test runs the script with other programs in their place',
  },
  'infra/local/kube-assets/build-helm.sh': {
    check: script('infra/local/kube-assets/build-helm.sh'),
    tests: ['test/e2e/chart-docs.test.ts'],
  },
  base64: TOOL,
  cat: TOOL,
  cp: TOOL,
  mkdir: TOOL,
  openssl: TOOL,
  rm: TOOL,
  sed: TOOL,
  tar: TOOL,
  tr: TOOL,
};
