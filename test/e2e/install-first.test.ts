/**
 * The shortest way of docs/install.md, command by command, on real API servers with Kubernetes' own controllers: the user sees
 * what the document shows.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import { ROOT } from '#test/unit/docs/markdown.ts';
import { lasting } from '#test/unit/docs/shown-output.ts';
import { clusters } from './clusters.ts';
import { type ControlledWecs, startControlledWecs } from './controllers.ts';
import { clear } from './controls.ts';
import { stepsOf } from './install-steps.ts';

const SECTION = 'The shortest way';
const BUILD_TIMEOUT_MS = 40 * 60_000;
/** A kubelet that cannot pull it leaves its pod as it is. */
const MISSING_IMAGE = 'registry.example.com/missing:1';
const PATIENCE = { timeout: 120_000, interval: 500 };

let folder: string;
let wecs: ControlledWecs | undefined;
let starfold: ChildProcess | undefined;

beforeAll(async () => {
  // Another suite may have left the mark of its installation, beside which this one would not write.
  await clear(clusters().wds, [WRITER_LEASE]);
  folder = await mkdtemp(join(tmpdir(), 'starfold-first-'));
  wecs = await startControlledWecs({
    wec1: { nodes: 1, kubelets: { held: [], failing: [] } },
    wec2: { nodes: 1, kubelets: { held: [MISSING_IMAGE], failing: [] } },
  });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  // npx does not pass signals on to the program.
  if (starfold?.pid !== undefined && starfold.exitCode === null) {
    process.kill(-starfold.pid, 'SIGINT');
    await once(starfold, 'close');
  }
  await said('kubectl --context wds delete deployment/hello binding/hello --ignore-not-found');
  await clear(clusters().wds, [WRITER_LEASE]);
  await wecs?.stop();
  await rm(folder, { recursive: true, force: true });
}, BUILD_TIMEOUT_MS);

/** Runs a command of the document in its folder; Starfold's state is elsewhere. */
function start(command: string): { readonly child: ChildProcess; readonly output: () => string } {
  const bins = [join(ROOT, 'node_modules/.bin'), dirname(clusters().kubectlPath)].join(delimiter);
  const environment = `export PATH=${bins}${delimiter}$PATH KUBECONFIG=${wecs?.kubeconfigPath} NO_COLOR=1`;
  const state = command.startsWith('npx starfold ') ? ` --state ${folder}/state.sqlite` : '';
  const child = spawn('bash', ['-c', `${environment}; ${command}${state}`], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      output += more;
    });
  return { child, output: () => output };
}

async function said(command: string): Promise<string> {
  const { child, output } = start(command);
  await once(child, 'close');
  return output();
}

it(
  'shows what the document says, from three clusters to a status',
  async () => {
    const steps = await stepsOf(SECTION);
    expect(steps.length).toBeGreaterThan(8);
    for (const { typed: command, output } of steps) {
      const expected = lasting(output);
      if (command.startsWith('npx starfold start ')) {
        const { child, output: shown } = start(command);
        starfold = child;
        // What other suites have left in the WDS may have lines too.
        const lines = (text: string): string[] => text.split('\n');
        await vi.waitFor(
          () => expect(lines(lasting(shown()))).toEqual(expect.arrayContaining(lines(expected))),
          PATIENCE,
        );
      } else if (/ (?:get|rollout) /.test(command))
        // What it shows becomes true when the controllers have done their part.
        await vi.waitFor(async () => expect(lasting(await said(command))).toBe(expected), PATIENCE);
      else expect(lasting(await said(command))).toBe(expected);
    }
  },
  BUILD_TIMEOUT_MS,
);
