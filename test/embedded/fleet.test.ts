import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { notReadYet } from '#local/cli/fleet/messages.ts';
import { cannotListen } from '#local/intake/messages.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { objectsDiffer, objectsRejected } from '#local/start/display-messages.ts';
import { CONNECTED, fleetState, INSTALL, listensAt, notServed } from '#local/start/messages.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { DEFINITIONS } from '#test/unit/fleet/fixtures/definitions.ts';
import { starfold } from '#test/unit/local/cli/command.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { type StartProcess, type Workbench, workbench } from './start-process.ts';

const EXAMPLE = new URL('../../docs/examples/fleet/upstream.yaml', import.meta.url);
const DEPLOYMENTS = '/v1/fleet/rancher1/bundles/fleet-default/shop-web/deployments';

let rancher: SimulatedCluster | undefined;

afterEach(async () => {
  await rancher?.close();
  rancher = undefined;
});

/** The objects of the example; all agents have just reported. */
function example(): readonly JsonObject[] {
  const text = readFileSync(fileURLToPath(EXAMPLE), 'utf8').replaceAll(
    /lastSeen: ".*"/g,
    `lastSeen: "${new Date().toISOString()}"`,
  );
  // Objects as kubectl would apply them.
  return parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
}

/** A management cluster with the objects of the example, and the stack on it. */
async function start(bench: Workbench, ...args: readonly string[]): Promise<StartProcess> {
  rancher = await startSimulatedCluster({ name: 'rancher' });
  for (const object of [...DEFINITIONS, ...example()]) rancher.apply(object);
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), { 'kind-rancher': rancher.url });
  return bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', file],
    ...['--fleet', 'rancher1=kind-rancher', ...args],
  );
}

async function statusOf(resource: string, name: string): Promise<unknown> {
  const url = `${rancher?.url}/apis/${FLEET_GROUP}/v1alpha1/namespaces/fleet-default/${resource}/${name}`;
  const object = (await (await fetch(url)).json()) as JsonObject;
  return at(object, 'status', 'summary') ?? null;
}

test('compared with what Fleet writes, differences are counted, shown and served, and nothing is written', async () => {
  await using bench = workbench();
  const run = await start(bench, '--api', '0');
  const line = await run.line(` API: ${listensAt('')}`);
  await run.line(` rancher1 forwarder: ${CONNECTED}`);
  await run.line(` rancher1 Fleet: ${fleetState('compare', objectsDiffer(6))}`);
  const diff = starfold([
    ...['fleet', 'diff', '--state', bench.file('state.sqlite'), '-o', 'json'],
  ]);
  expect(diff).toMatchObject({ code: 1, err: 'starfold: 6 objects differ\n' });
  const url = line.split(' ').at(-1) ?? '';
  const differences = await (await fetch(`${url}/v1/fleet/rancher1/differences`)).json();
  expect(at(differences as JsonObject, 'objects')).toHaveLength(6);
  expect(await (await fetch(`${url}${DEPLOYMENTS}?state=WaitApplied`)).json()).toMatchObject({
    deployments: [{ cluster: 'fleet-default/downstream2', resources: [{}, { name: 'web' }] }],
  });
  expect(await statusOf('bundles', 'shop-web')).toBeNull();
  run.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});

test('with --fleet-mode write the statuses become what Starfold makes of them', async () => {
  await using bench = workbench();
  const run = await start(bench, '--fleet-mode', 'write');
  await expect
    .poll(() => statusOf('gitrepos', 'shop'), { timeout: 20_000 })
    .toMatchObject({ desiredReady: 3, ready: 1, waitApplied: 1, pending: 1 });
  await run.line(` rancher1 Fleet: ${fleetState('write', objectsRejected(0))}`);
  const [first, second] = example().filter(({ kind }) => kind === 'BundleDeployment');
  rancher?.apply({ ...second, status: first?.['status'] ?? {} });
  await expect
    .poll(() => statusOf('gitrepos', 'shop'), { timeout: 20_000 })
    .toMatchObject({ desiredReady: 3, ready: 2, pending: 1 });
  run.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});

test('a management cluster without Fleet is named on the terminal, and not taken for one without objects', async () => {
  await using bench = workbench();
  rancher = await startSimulatedCluster({ name: 'rancher' });
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), { 'kind-rancher': rancher.url });
  const state = bench.file('state.sqlite');
  const run = bench.start('--state', state, '--kubeconfig', file, '--fleet', 'kind-rancher');
  const resource = String.raw`\w+\.fleet\.cattle\.io/v1alpha1`;
  await run.line(new RegExp(` kind-rancher forwarder: ${notServed(resource, INSTALL.fleet)}`));
  await expect
    .poll(() => starfold(['fleet', 'diff', '--state', state]), { timeout: 10_000 })
    .toMatchObject({ code: 1, err: `starfold: ${notReadYet('kind-rancher')}\n` });
  run.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});

test('an API where somebody else listens ends the command with what to do', async () => {
  await using bench = workbench();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const run = await start(bench, '--api', String(port));
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toContain(
    cannotListen({ host: '127.0.0.1', port }, '--api', { code: 'EADDRINUSE' }),
  );
  other.close();
});
