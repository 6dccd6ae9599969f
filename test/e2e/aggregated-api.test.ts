/** kubectl with the kubeconfig of a WDS whose API server serves status.starfold.dev itself. */
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, isArray, type JsonObject, parseJson } from '#shared/core/json.ts';
import { report, timesOf } from './aggregated/figures.ts';
import { boundObjects, putBound, removeFromWecs } from './aggregated/objects.ts';
import { AggregatedWorld, APISERVICE } from './aggregated/world.ts';
import { clusters, requestOk, setStatus, watch } from './clusters.ts';
import { eventually } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { end } from './stack-child.ts';

const CHANGES = 100;
const START_TIMEOUT_MS = 180_000;
const namespace = 'aggregated';
const { wec1, wec2 } = clusters();
const bound = boundObjects(namespace);
const { app } = bound;
const LIST = `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/wecstatuses`;
const ONE = 'deployments.apps:app:wec1';
let world: AggregatedWorld;

async function printed(...args: readonly string[]): Promise<string> {
  return (await world.kubectl(args)).stdout;
}

function inNamespace(...args: readonly string[]): Promise<string> {
  return printed(...args, '-n', namespace);
}

beforeAll(async () => {
  world = await AggregatedWorld.start('aggregated-api');
  await putBound(world.wds, bound);
  await setStatus(wec1, app.ref, rolledOut(1, 3, minute(1)));
  await setStatus(wec2, app.ref, rolledOut(1, 1, minute(1)));
  const states = async (): Promise<string> =>
    inNamespace(
      'get',
      'wecst',
      '-l',
      'starfold.dev/resource=deployments.apps',
      '-o',
      'jsonpath={.items[*].state}',
    );
  await eventually(states, Array(4).fill('Reported').join(' '));
  await eventually(
    () => inNamespace('get', 'why', 'deployments.apps:app', '-o', 'jsonpath={.applied.upToDate}'),
    'true',
  );
}, START_TIMEOUT_MS);

afterAll(async () => {
  await removeFromWecs(bound);
  await world.dispose();
});

/** What a process prints, as far as it has. */
function listened(child: ChildProcess): () => string {
  let seen = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    seen += text;
  });
  return () => seen;
}

describe('kubectl, through the API server of the WDS', () => {
  it('finds the resources in discovery, like those of the API server itself', async () => {
    const lines = await printed(
      'api-resources',
      '--api-group',
      'status.starfold.dev',
      '--no-headers',
    );
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ +/)[0]),
    ).toEqual([
      'clusterexplanations',
      'clusterstatusqueries',
      'clusterwecstatuses',
      'explanations',
      'statusqueries',
      'wecs',
      'wecstatuses',
    ]);
    expect(await printed('get', 'apiservice', APISERVICE)).toMatch(
      /starfold\/starfold-status +True/,
    );
  });

  it('gets, describes and explains', async () => {
    expect(await inNamespace('get', 'wecst')).toMatch(
      /^OBJECT +WEC +READY +HEALTH +STATE +AGE\ndeployments.apps\/app +wec1 +3\/3 +Healthy +Reported/,
    );
    expect(await inNamespace('get', 'wecst', ONE, '-o', 'jsonpath={.status.readyReplicas}')).toBe(
      '3',
    );
    expect(await inNamespace('describe', 'wecst', ONE)).toMatch(/State: +Reported/);
    expect(await inNamespace('describe', 'why', 'deployments.apps:app')).toMatch(
      /Reason: +1 Binding asks for multi-WEC status; 2 WECs qualify/,
    );
    // The API server of the WDS fetches the schema of an APIService some time after it serves its resources.
    const shows = async (path: string, text: string) => {
      const said = await printed('explain', path).catch(String);
      return said.includes(text) || said;
    };
    await eventually(() => shows('wecst.health.status', 'Healthy, Suspended'), true);
    await eventually(() => shows('why.fields', 'KIND:       Explanation'), true);
    expect(await printed('get', 'wecs', '-o', 'name')).toBe(
      'wec.status.starfold.dev/wec1\nwec.status.starfold.dev/wec2\n',
    );
    expect(await printed('get', 'cwecst', '-o', 'name')).toContain(`namespaces:${namespace}:wec2`);
    await expect(inNamespace('get', 'wecst', 'deployments.apps:app:wec9')).rejects.toThrow(
      'wecstatuses.status.starfold.dev "deployments.apps:app:wec9" not found',
    );
  });

  it('selects by labels and fields, and gets pages', async () => {
    const names = ['-o', 'name'];
    const prefix = 'wecstatus.status.starfold.dev/deployments.apps';
    expect(await inNamespace('get', 'wecst', '-l', 'app=app', ...names)).toBe(
      `${prefix}:app:wec1\n${prefix}:app:wec2\n`,
    );
    const fields = ['--field-selector', 'workload.name=app,health!=Healthy'];
    expect(await inNamespace('get', 'wecst', ...fields, ...names)).toBe(`${prefix}:app:wec2\n`);
    const whole = await inNamespace('get', 'wecst', ...names);
    expect(whole.split('\n')).toHaveLength(7);
    expect(await inNamespace('get', 'wecst', ...names, '--chunk-size', '1')).toBe(whole);
  });

  it('asks the API server who may do what', async () => {
    const asked = (...args: readonly string[]) =>
      printed('auth', 'can-i', ...args, '-n', namespace);
    expect(await asked('list', 'wecst')).toBe('yes\n');
    await expect(asked('list', 'wecst', '--as', 'nobody')).rejects.toMatchObject({
      stdout: 'no\n',
    });
    await expect(inNamespace('get', 'wecst', '--as', 'nobody')).rejects.toThrow(
      /User "nobody" cannot list resource "wecstatuses" in API group "status.starfold.dev"/,
    );
  });

  it('creates a query, and asks what would be without a WEC', async () => {
    const query = {
      apiVersion: 'status.starfold.dev/v1alpha1',
      kind: 'StatusQuery',
      spec: {
        workloads: { resource: 'deployments', group: 'apps', name: 'app' },
        select: [{ name: 'ready', def: 'returned.status.readyReplicas' }],
      },
    };
    const create = ['create', '-n', namespace, '-o', 'json', '-f', '-'];
    const answer = parseJson(await world.kubectlWith(JSON.stringify(query), create));
    const rows = at(answer, 'status', 'rows');
    expect(isArray(rows) && rows.map((row) => [at(row, 'wec'), at(row, 'columns')])).toEqual([
      ['wec1', [{ type: 'Number', float: '3' }]],
      ['wec2', [{ type: 'Number', float: '1' }]],
    ]);
    const path = `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/explanations`;
    const raw = await printed('get', '--raw', `${path}/deployments.apps:app?without=wec2`);
    expect(parseJson(raw)).toMatchObject({ without: ['wec2'], verdict: { decidedBy: ['wec1'] } });
  });

  it('changes nothing', async () => {
    await expect(inNamespace('delete', 'wecst', ONE)).rejects.toThrow('MethodNotAllowed');
    await expect(inNamespace('label', 'wecst', ONE, 'a=b')).rejects.toThrow('MethodNotAllowed');
  });

  it('watches, and waits', async () => {
    const follow = ['get', 'wecst', '-n', namespace, '-l', 'app=app', '-w', '--no-headers'];
    const child = world.spawnKubectl([...follow, '--output-watch-events']);
    const seen = listened(child);
    await eventually(async () => /ADDED +\S+ +wec2 +1\/3/.test(seen()) || seen(), true);
    const condition = '--for=jsonpath={.status.readyReplicas}=2';
    const waiting = inNamespace(
      'wait',
      'wecst',
      'deployments.apps:app:wec2',
      condition,
      '--timeout=30s',
    );
    await setStatus(wec2, app.ref, rolledOut(1, 2, minute(2)));
    expect(await waiting).toContain('condition met');
    // A watch that begins after the change has it as ADDED (docs/api.md).
    const changed = /(ADDED|MODIFIED) +\S+ +wec2 +2\/3/;
    await eventually(async () => changed.test(seen()) || seen(), true);
    await end(child, 'SIGTERM');
  });

  it('ends watches in good order when Starfold ends, and goes on when it is back', async () => {
    const child = world.spawnKubectl(['get', 'wecst', '-n', namespace, '-w', '-o', 'name']);
    const seen = listened(child);
    let fault = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      fault += text;
    });
    await eventually(async () => seen().includes('app:wec2'), true);
    // A change that only the watch can show: it watches now.
    await setStatus(wec1, app.ref, rolledOut(1, 2, minute(3)));
    await eventually(async () => seen().split('app:wec1').length > 2 || seen(), true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await world.program.end('SIGTERM');
    expect(await ended).toBe(0);
    expect(fault).toBe('');
    await world.startProgram();
    await eventually(
      () =>
        inNamespace('get', 'wecst', ONE, '-o', 'jsonpath={.status.readyReplicas}').catch(String),
      '2',
    );
  });
});

it('shows each of many changes to a watch, and says how soon', async () => {
  const replicasOf = (object: unknown): number =>
    Number(at(object as JsonObject, 'status', 'replicas') ?? 0);
  let seen: (replicas: number) => void = () => undefined;
  const select = encodeURIComponent('workload.name=app,wec=wec1');
  // From 1,001 on, so that no status of before is one of these.
  const following = watch(world.wds, `${LIST}?watch=true&fieldSelector=${select}`, (event) => {
    const replicas = replicasOf(event['object']);
    seen(replicas);
    return replicas === 1_000 + CHANGES;
  });
  const times = await timesOf(CHANGES, async (round) => {
    const shown = new Promise<void>((resolve) => {
      seen = (replicas) => replicas === 1_000 + round && resolve();
    });
    await setStatus(wec1, app.ref, rolledOut(1, 1_000 + round, minute(4)));
    await shown;
  });
  const { status } = await following;
  expect(status).toBe(200);
  report('through the APIService: status change in a WEC to event of a watch', times);
  const one = await requestOk(world.wds, { method: 'GET', path: `${LIST}/${ONE}` });
  expect(replicasOf(one)).toBe(1_000 + CHANGES);
});
