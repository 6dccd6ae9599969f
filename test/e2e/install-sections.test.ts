/**
 * The sections of docs/install.md after the shortest way, command by command, on real API servers with Kubernetes' own controllers,
 * simulated kubelets and the APIs of AWS on this machine: each command prints what the document shows, and nothing else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '#test/unit/docs/markdown.ts';
import type { ShownStep } from '#test/unit/docs/shell.ts';
import { asShown, comparable } from '#test/unit/docs/shown-output.ts';
import {
  type AwsWorld,
  CREDENTIALS,
  startAwsWorld,
} from '#test/unit/local/cli/deployment/aws-world.ts';
import { clusters } from './clusters.ts';
import { type ControlledWecs, startControlledWecs } from './controllers.ts';
import { removeNamespace } from './controls.ts';
import { kubeconfigOf } from './global-setup.ts';
import { helmFolder } from './helm.ts';
import { stepsOf } from './install-steps.ts';
import { killPrograms, startProgram } from './program-child.ts';

/** What it exports is needed in each section. */
const VARIABLES = '2. Before';
/** Installs the forwarder that the last section looks at. */
const INSTALLATION = '4. Open Cluster Management without KubeStellar';
const AFTERWARDS = '10. Afterwards';
const SECTIONS = [
  ...[VARIABLES, '3. KubeStellar', INSTALLATION, '5. Bare clusters', '6. The WDS'],
  ...['7. A management cluster of Fleet', '8. The queue', '9. Without Helm', AFTERWARDS],
];
/** Without an engine of containers, without an end, or without a kubelet that has logs. The document shows no output of them. */
const NOT_RUN = /^(?:docker|npm|kubectl --context \w+ -n starfold logs) /;
const PRELUDE = `npx() { shift; node ${join(ROOT, 'local/cli/starfold.js')} "$@"; }`;
const BUILD_TIMEOUT_MS = 40 * 60_000;
const KUBELETS = { nodes: 1, kubelets: { held: [], failing: [] } };
const NAMESPACE = 'starfold';
/** What a section makes in the namespace, and beside it. */
const KINDS = {
  own: 'deploy,pdb,sa,role,rolebinding,cm,secret,svc,lease --all --cascade=foreground',
  beside: 'clusterroles,clusterrolebindings -l app.kubernetes.io/part-of=starfold',
};

let folder: string;
let kubeconfig: string;
let wecs: ControlledWecs;
let aws: AwsWorld;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-sections-'));
  for (const name of ['docs', 'infra']) await symlink(join(ROOT, name), join(folder, name));
  wecs = await startControlledWecs({ wec1: KUBELETS, wec2: KUBELETS });
  const named = { wec1: ['cluster1', 'wds1'], wec2: ['its1', 'host', 'upstream1'] };
  const contexts = (['wec1', 'wec2'] as const).flatMap((wec) =>
    named[wec].map((name) => ({ ...wecs[wec], name })),
  );
  kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(contexts));
  const bins = [join(ROOT, 'node_modules/.bin'), dirname(clusters().kubectlPath)];
  variables = {
    ...CREDENTIALS,
    // biome-ignore lint/style/noProcessEnv: the programs of the shell are where those of the tests are.
    PATH: [...bins, await helmFolder(), process.env['PATH']].join(delimiter),
    HELM_ASSETS: await helmFolder(),
    KUBECONFIG: kubeconfig,
    HOME: folder,
    NO_COLOR: '1',
  };
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await wecs?.stop();
  await rm(folder, { recursive: true, force: true });
}, BUILD_TIMEOUT_MS);

beforeEach(async () => {
  aws = await startAwsWorld();
});

afterEach(async () => {
  await killPrograms();
  for (const [context, cluster] of [
    ['cluster1', wecs.wec1],
    ['its1', wecs.wec2],
  ] as const) {
    const kubectl = `kubectl --context ${context} delete --ignore-not-found`;
    await bash(`${kubectl} -n ${NAMESPACE} ${KINDS.own}; ${kubectl} ${KINDS.beside}`);
    await removeNamespace(cluster, NAMESPACE);
  }
  await aws.close();
});

/** Runs a script in the user's folder. */
async function bash(script: string): Promise<string> {
  const env = aws.environment(variables);
  const child = spawn('/bin/bash', ['--norc', '-c', script], { cwd: folder, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      output += more;
    });
  await once(child, 'close');
  return output;
}

/** What each command of a section prints, in one shell. A command that fails has its exit code behind that. */
async function play(steps: readonly ShownStep[]): Promise<readonly string[]> {
  const exports = (await stepsOf(VARIABLES)).filter(({ typed }) => typed.startsWith('export '));
  const lines = steps.map(({ typed }, at) =>
    NOT_RUN.test(typed)
      ? `: > ${at}.out`
      : `{\n${typed}\n} > ${at}.out 2>&1 < /dev/null || echo "exit code $?" >> ${at}.out`,
  );
  const script = [PRELUDE, ...exports.map(({ typed }) => typed), ...lines].join('\n');
  expect(await bash(script.replaceAll('PARTITION', 'aws'))).toBe('');
  return Promise.all(steps.map((_step, at) => readFile(join(folder, `${at}.out`), 'utf8')));
}

/** Starts the program of a pod of the forwarder, with the configuration that its chart has made, until it leads. */
async function startForwarder(): Promise<void> {
  const name = `-n ${NAMESPACE} configmap cluster1-event-forwarder`;
  const config = parse(
    await bash(`kubectl --context cluster1 get ${name} -o jsonpath='{.data.config\\.yaml}'`),
  );
  const url = aws.urls['EventsQueueUrl'];
  const forwarder = await startProgram(
    join(folder, 'config.yaml'),
    {
      ...config,
      queue: { sqs: { ...config.queue.sqs, url, region: 'eu-central-1' } },
      kubernetes: { ...config.kubernetes, kubeconfig, context: 'cluster1' },
      server: { port: 0, host: '127.0.0.1' },
    },
    { imports: [], env: aws.environment(CREDENTIALS) },
  );
  await vi.waitFor(
    () =>
      expect(
        forwarder.log().map(({ message }) => message),
        forwarder.stderr(),
      ).toContain('leading'),
    { timeout: 30_000, interval: 100 },
  );
}

describe('docs/install.md', () => {
  it.each(SECTIONS)(
    '%s: each command prints what it shows',
    async (section) => {
      if (section === AFTERWARDS) {
        await play(await stepsOf(INSTALLATION));
        await startForwarder();
      }
      const steps = await stepsOf(section);
      expect(steps.length).toBeGreaterThan(0);
      const outputs = await play(steps);
      for (const [at, { typed, output }] of steps.entries())
        expect.soft(asShown(outputs[at] ?? '', output), typed).toBe(comparable(output));
    },
    BUILD_TIMEOUT_MS,
  );
});
