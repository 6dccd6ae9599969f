/**
 * `starfold console` for users of a real WDS: with the credentials of a kubeconfig, behind an APIService and at the direct door. Who
 * may read sees the rows, and who may not is told what is missing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PLACES, pageAt, SERVED_BY, UNKNOWN_WDS } from '#local/cli/console/messages.ts';
import { noAnswer } from '#local/cli/door/messages.ts';
import { at, isArray, type JsonValue, parseJson, textAt } from '#shared/core/json.ts';
import { applyObjects } from './accounts.ts';
import { isAllowed, type Rule, roleOf } from './aggregated/asked.ts';
import { boundObjects, putBound, removeFromWecs } from './aggregated/objects.ts';
import { AggregatedWorld } from './aggregated/world.ts';
import { STARFOLD } from './api-child.ts';
import type { Cluster } from './clusters.ts';
import { eventually } from './controls.ts';
import { kubeconfigOf } from './global-setup.ts';
import { end } from './stack-child.ts';

const START_TIMEOUT_MS = 180_000;
const namespace = 'console';
const bound = boundObjects(namespace);
const STATUS = '/apis/status.starfold.dev/v1alpha1';
const STATUSES = `${STATUS}/namespaces/${namespace}/wecstatuses`;
const COMBINED = `/apis/control.kubestellar.io/v1alpha1/namespaces/${namespace}/combinedstatuses`;
const READER: readonly Rule[] = [
  { group: 'status.starfold.dev', resource: 'wecstatuses', verbs: ['list', 'watch'] },
  { group: 'apps', resource: 'deployments', verbs: ['get'] },
  { group: 'control.kubestellar.io', resource: 'combinedstatuses', verbs: ['list', 'watch'] },
];
let world: AggregatedWorld;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await AggregatedWorld.start('console');
  await putBound(world.wds, bound);
  await applyObjects(world.wds, roleOf('console-reader', READER));
  const reader = await world.plane.as('console-reader');
  for (const { group, resource, verbs } of READER)
    for (const verb of verbs)
      await eventually(() => isAllowed(reader, { verb, group, resource }), true);
}, START_TIMEOUT_MS);

afterEach(async () => {
  for (const child of children.splice(0)) await end(child, 'SIGINT');
});

afterAll(async () => {
  await removeFromWecs(bound);
  await world.dispose();
});

/** Runs the command for a kubeconfig, and waits until it says where the page is. */
async function opened(...args: readonly string[]) {
  const child = spawn(process.execPath, [STARFOLD, 'console', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  await eventually(async () => said.includes(pageAt('')) || said, true);
  const line = said.split('\n').find((one) => one.endsWith(pageAt('')));
  return { said, url: line?.replace(pageAt(''), '') ?? '', child };
}

async function read(url: string): Promise<{ readonly code: number; readonly body: JsonValue }> {
  const answer = await fetch(url);
  return { code: answer.status, body: parseJson(await answer.text()) };
}

/** The WECs in the rows of a list, or what the answer says instead. */
async function wecsAt(url: string): Promise<string> {
  const { code, body } = await read(url);
  const items = at(body, 'items');
  if (code !== 200 || !isArray(items)) return `${code} ${textAt(body, 'message')}`;
  return [...new Set(items.map((item) => textAt(item, 'wec')))].toSorted().join(' ');
}

/** A kubeconfig with the direct door as `starfold`, and the WDS as `wds`. */
async function bothOf(user: Cluster): Promise<string> {
  const file = world.path('both');
  const direct = { ...world.directly(user), name: 'starfold' };
  await writeFile(file, kubeconfigOf([direct, user]), { mode: 0o600 });
  return file;
}

/** In the index of OpenAPI, of the WDS's own API server and of Starfold. */
const DOCUMENTS = ['apis/apps/v1', 'apis/status.starfold.dev/v1alpha1'];

it('shows a reader the rows, live, through the WDS, and its CombinedStatuses', async () => {
  const user = await world.plane.as('console-reader');
  const { wds } = await world.doorsOf(user, 'console-reader');
  const { url, said } = await opened('--kubeconfig', wds, '--context', 'wds');
  expect(said).toContain(`${PLACES.context('wds')}: ${SERVED_BY.wds}`);
  await eventually(() => wecsAt(`${url}${STATUSES}`), 'wec1 wec2');
  expect(await read(`${url}${COMBINED}`)).toMatchObject({
    code: 200,
    body: { kind: 'CombinedStatusList' },
  });
  const watch = await fetch(`${url}${COMBINED}?watch=true`);
  expect(watch.status).toBe(200);
  await watch.body?.cancel();
  // The API server of the WDS fetches the document of an APIService some time after its discovery.
  await eventually(async () => {
    const paths = at((await read(`${url}/openapi/v3`)).body, 'paths');
    return DOCUMENTS.filter((path) => at(paths, path) !== undefined);
  }, DOCUMENTS);
  expect((await fetch(`${url}/`)).headers.get('content-type')).toContain('text/html');
});

it('shows nothing to somebody without rights, and says which is missing', async () => {
  const user = await world.plane.as('console-nobody');
  const { wds } = await world.doorsOf(user, 'console-nobody');
  const { url } = await opened('--kubeconfig', wds);
  expect(await wecsAt(`${url}${STATUSES}`)).toMatch(
    /^403 .*User "console-nobody" cannot list resource "wecstatuses"/,
  );
  expect(await wecsAt(`${url}${COMBINED}`)).toMatch(
    /^403 .*cannot list resource "combinedstatuses"/,
  );
});

it('reads at the direct door with the same rights, and CombinedStatuses from the WDS', async () => {
  const reader = await bothOf(await world.plane.as('console-reader'));
  const both = ['--kubeconfig', reader, '--context', 'starfold', '--wds-context', 'wds'];
  const { url } = await opened(...both);
  await eventually(() => wecsAt(`${url}${STATUSES}`), 'wec1 wec2');
  expect((await read(`${url}${COMBINED}`)).code).toBe(200);
  const alone = await opened('--kubeconfig', reader, '--context', 'starfold');
  expect(alone.said).toContain(`${SERVED_BY.starfold}; ${UNKNOWN_WDS}`);
  expect(await wecsAt(`${alone.url}${COMBINED}`)).toContain('404');
  const nobody = await bothOf(await world.plane.as('console-nobody'));
  const other = await opened('--kubeconfig', nobody, '--context', 'starfold');
  expect(await wecsAt(`${other.url}${STATUSES}`)).toContain('403');
});

it('says that the server has gone, and goes on when it is back', async () => {
  const user = await world.plane.as('console-reader');
  const { direct } = await world.doorsOf(user, 'console-reader');
  const { url, child } = await opened('--kubeconfig', direct, '--context', 'wds');
  await eventually(() => wecsAt(`${url}${STATUSES}`), 'wec1 wec2');
  const watch = await fetch(`${url}${STATUSES}?watch=true`);
  const pieces = watch.body?.getReader();
  await pieces?.read();
  await world.program.end('SIGKILL');
  await world.proxy.cut();
  // The watch ends, so that the page lists again, and is told why it cannot.
  while (pieces !== undefined && !(await pieces.read()).done);
  const told = await wecsAt(`${url}${STATUSES}`);
  const [, server = '', reason = ''] = /(https:\S+) .*?\((.*?)\):/.exec(told) ?? [];
  const fault = noAnswer(server, reason, { file: direct, others: '--stage' });
  expect(told).toBe(`503 ${PLACES.context('wds')}: ${fault}`);
  await world.proxy.restore();
  await world.startProgram();
  await eventually(() => wecsAt(`${url}${STATUSES}`), 'wec1 wec2');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});
