/**
 * Every command of every document that asks an installation on this machine: `starfold get`, `query`, `console` and `fleet diff`. They ask
 * `starfold start` of real API servers, in the folder in which it runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageAt } from '#local/cli/console/messages.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { commandsOf, documentsWithCommands } from '#test/unit/docs/shell.ts';
import { isQuestion } from '#test/unit/docs/starfold-commands.ts';
import { STARFOLD } from './api-child.ts';
import { apply, clusters, createNamespace, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually } from './controls.ts';
import { defineFleet } from './fleet/crds.ts';
import { kubeconfigOf } from './global-setup.ts';
import { minute, rolledOut } from './rollout.ts';
import { end } from './stack-child.ts';
import { deployment } from './workloads.ts';

/** The namespaces in which the documents have a Deployment `web`. */
const NAMESPACES = ['shop', 'rollout'];
const OBJECTS = NAMESPACES.map((namespace) => deployment({ namespace, name: 'web' }));
const INSTALL = 'docs/install.md';
const API = '.starfold/api-kubeconfig';
/** The installations, each in a folder of its own: one of a WDS, and one of a management cluster of Fleet. */
const STARTS = {
  wds: [
    ...['start', '--wds', 'wds1', '--wec', 'cluster1', '--api', '0'],
    ...['--tls-cert', 'tls.crt', '--tls-key', 'tls.key'],
  ],
  fleet: ['start', '--fleet', 'rancher1', '--api', '0'],
};
type Installation = keyof typeof STARTS;

/** The commands, each once, from the word behind `starfold` on. */
const QUESTIONS = [
  ...new Map(
    documentsWithCommands()
      .flatMap(commandsOf)
      // install-first.test.ts asks what docs/install.md installs.
      .filter(({ program, path }) => ['npx', 'starfold'].includes(program) && path !== INSTALL)
      .map(({ program, args }) => (program === 'npx' ? args.slice(1) : args))
      .filter(isQuestion)
      .map((args) => [args.join(' '), { words: args.join(' '), args }]),
  ).values(),
];

/** What a command prints when it works. */
function sign([command, ...args]: readonly string[]): string {
  if (command === 'console') return pageAt('');
  if (command === 'fleet') return 'No differences.';
  if (args.includes('--save')) return 'kind: StatusCollector';
  // No inventory has told it.
  if (args.includes('--group-by')) return 'web in cluster1, column region: no such key: region';
  return 'cluster1';
}

/** It goes on until Ctrl-C. */
function goesOn([command, ...args]: readonly string[]): boolean {
  return command === 'console' || args.includes('-w');
}

let folder: string;
const installations: ChildProcess[] = [];

function start(where: Installation, args: readonly string[], kubeconfig = 'kubeconfig') {
  const child = spawn(process.execPath, [STARFOLD, ...args], {
    cwd: join(folder, where),
    env: { KUBECONFIG: kubeconfig, HOME: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]): number => code);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return { child, ended, said: () => said };
}

function write(where: Installation, name: string, text: string): Promise<void> {
  return writeFile(join(folder, where, name), text, { mode: 0o600 });
}

/** What a command prints until it ends. */
async function ask(where: Installation, args: readonly string[]): Promise<string> {
  const { ended, said } = start(where, args);
  await ended;
  return said();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-questions-'));
  const { wds, wec1, wec2 } = clusters();
  await defineFleet(wec2);
  for (const [index, { ref, object }] of OBJECTS.entries()) {
    for (const cluster of [wds, wec1]) {
      await createNamespace(cluster, NAMESPACES[index] ?? '');
      await apply(cluster, ref, object);
    }
    await setStatus(wec1, ref, rolledOut(0, 1, minute(1)));
  }
  await bind({
    name: 'questions',
    destinations: ['cluster1'],
    objects: OBJECTS.map(({ ref }) => [ref, { wantMultiWECReportedState: true }]),
  });
  const all = [
    ...['wds', 'wds1'].map((name) => ({ ...wds, name })),
    { ...wec1, name: 'cluster1' },
    { ...wec2, name: 'rancher1' },
  ];
  const { cert, key } = selfSigned();
  const files = { kubeconfig: kubeconfigOf(all), 'tls.crt': cert, 'tls.key': key };
  for (const where of ['wds', 'fleet'] as const) {
    await mkdir(join(folder, where));
    for (const [name, text] of Object.entries(files)) await write(where, name, text);
    const { child, said } = start(where, STARTS[where]);
    installations.push(child);
    await eventually(async () => existsSync(join(folder, where, API)) || said(), true);
  }
  const config = await readFile(join(folder, 'wds', API), 'utf8');
  const [server = ''] = /https:[^"\s]+/.exec(config) ?? [];
  // Who may read the WDS may read there. As the WDS's name, it stands for an APIService.
  const served = ['wds1', 'starfold-wds1'].map((name) => ({ ...wds, name, server, caPem: cert }));
  await write('wds', 'served', kubeconfigOf(served));
  await write('wds', 'both', kubeconfigOf([...all, ...served.slice(1)]));
  for (const namespace of NAMESPACES)
    await eventually(
      async () => (await ask('wds', ['get', '-n', namespace])).match(/Reported/g),
      ['Reported'],
    );
  await eventually(() => ask('fleet', ['fleet', 'diff']), 'No differences.\n');
});

afterAll(async () => {
  for (const installation of installations) await end(installation, 'SIGINT');
  await clear(clusters().wds, [
    ...[WRITER_LEASE, controlRef('bindings', 'questions')],
    ...OBJECTS.map(({ ref }) => ref),
  ]);
  await clear(
    clusters().wec1,
    OBJECTS.map(({ ref }) => ref),
  );
  await rm(folder, { recursive: true, force: true });
});

it('are questions of every kind', () => {
  const kinds = new Set(QUESTIONS.map(({ args }) => args[0]));
  expect([...kinds].sort()).toEqual(['console', 'fleet', 'get', 'query']);
});

it.each(QUESTIONS)('starfold $words', async ({ args }) => {
  const kubeconfig = args.includes('--wds-context') ? 'both' : 'served';
  const where = args[0] === 'fleet' ? 'fleet' : 'wds';
  const { child, ended, said } = start(where, args, kubeconfig);
  if (goesOn(args)) {
    await eventually(async () => said().includes(sign(args)) || said(), true);
    child.kill('SIGINT');
  }
  expect(await ended, said()).toBe(0);
  expect(said()).toContain(sign(args));
});
