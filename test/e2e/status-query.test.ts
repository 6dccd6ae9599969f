import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, isArray, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { type ApiChild, type Said, STARFOLD, startApiChild } from './api-child.ts';
import { apply, clusters, createNamespace, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

const namespace = 'query';
const { wds, wec1, wec2, kubeconfigPath, kubectlPath } = clusters();
const app = deployment({ namespace, name: 'app' });
const READY = { name: 'ready', def: 'returned.status.readyReplicas' };
const DEPLOYMENTS = { resource: 'deployments', group: 'apps' };

let api: ApiChild;

function kubectl(...args: readonly string[]): Promise<Said> {
  return api.kubectl(args);
}

/** Creates a query from a file, as a user does. */
function create(
  spec: JsonObject,
  more: JsonObject = {},
  ...args: readonly string[]
): Promise<Said> {
  const file = join(api.folder, 'query.yaml');
  const object = { apiVersion: 'status.starfold.dev/v1alpha1', kind: 'StatusQuery', spec, ...more };
  // YAML has all of JSON.
  writeFileSync(file, JSON.stringify(object));
  return kubectl('create', '-f', file, ...args);
}

function starfold(...args: readonly string[]): Promise<Said> {
  return promisify(execFile)(process.execPath, [STARFOLD, ...args]);
}

function rows(object: JsonValue): readonly JsonValue[] {
  const found = at(object, 'status', 'rows');
  return isArray(found) ? found : [];
}

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, app.ref, app.object);
  }
  await setStatus(wec1, app.ref, rolledOut(1, 3, minute(1)));
  await setStatus(wec2, app.ref, rolledOut(1, 1, minute(1)));
  await bind({
    name: 'query',
    destinations: ['wec1', 'wec2'],
    objects: [[app.ref, { wantMultiWECReportedState: true }]],
  });
  api = await startApiChild();
  await eventually(async () => {
    const { stdout } = await kubectl('get', 'wecst', '-n', namespace, '--no-headers');
    return stdout.match(/Reported/g)?.length ?? api.log();
  }, 2);
});

afterAll(async () => {
  await clear(wds, [controlRef('bindings', 'query'), app.ref]);
  await api.dispose();
});

describe('kubectl create of a StatusQuery', () => {
  it('prints the answer', async () => {
    const spec = {
      select: [READY],
      filter: 'has(returned.status.readyReplicas)',
      workloads: DEPLOYMENTS,
    };
    const { stdout, stderr } = await create(spec, {}, '-n', namespace, '-o', 'yaml');
    expect(stderr).toBe('');
    expect(rows(parse(stdout))).toMatchObject([
      { workload: { name: 'app', kind: 'Deployment' }, wec: 'wec1', columns: [{ float: '3' }] },
      { workload: { name: 'app' }, wec: 'wec2', columns: [{ float: '1' }] },
    ]);
    const path = '{.status.rows[*].columns[0].float}';
    const found = await create(spec, {}, '-n', namespace, '-o', `jsonpath=${path}`);
    expect(found.stdout).toBe('3 1');
  });

  it('goes on by continue', async () => {
    const spec = { select: [READY], workloads: DEPLOYMENTS, limit: 1 };
    const first = parseJson((await create(spec, {}, '-n', namespace, '-o', 'json')).stdout);
    expect(rows(first)).toHaveLength(1);
    const next = { ...spec, continue: at(first, 'status', 'continue') ?? '' };
    const second = parseJson((await create(next, {}, '-n', namespace, '-o', 'json')).stdout);
    expect(rows(second).map((row) => at(row, 'wec'))).toEqual(['wec2']);
    expect(at(second, 'status', 'continue')).toBeUndefined();
  });

  it('of the cluster asks all namespaces', async () => {
    const spec = {
      groupBy: [{ name: 'object', def: 'obj.metadata.name' }],
      combinedFields: [
        { name: 'wecs', type: 'COUNT' },
        { name: 'ready', type: 'SUM', subject: READY.def },
      ],
      workloads: { ...DEPLOYMENTS, name: 'app', allNamespaces: true },
    };
    const { stdout } = await create(spec, { kind: 'ClusterStatusQuery' }, '-o', 'json');
    expect(rows(parseJson(stdout))).toEqual([
      {
        columns: [
          { type: 'String', string: 'app' },
          { type: 'Number', float: '2' },
          { type: 'Number', float: '4' },
        ],
        count: 2,
      },
    ]);
  });

  it('names each field that is wrong', async () => {
    const spec = { select: [{ name: 'a', def: '1 +' }], filter: 'nobody' };
    await expect(create(spec, {}, '-n', namespace)).rejects.toThrow(
      /The StatusQuery "" is invalid: \n\* spec.filter: line 1, column 1: .*\n\* spec.select\[0\].def: line 1, column 4: /,
    );
    const misspelt = { select: [READY], filtre: 'false' };
    await expect(create(misspelt, {}, '-n', namespace)).rejects.toThrow(/filtre/);
    await expect(create(misspelt, {}, '-n', namespace, '--validate=false')).rejects.toThrow(
      /spec.filtre: unknown field; did you mean filter\?/,
    );
  });

  it('is stored nowhere, and accepts a dry run of the server', async () => {
    const spec = { select: [READY] };
    const { stdout } = await create(spec, {}, '-n', namespace, '--dry-run=server', '-o', 'name');
    expect(stdout).toContain('statusquery.status.starfold.dev/');
    await expect(kubectl('get', 'statusqueries', '-n', namespace)).rejects.toThrow(
      /does not allow this method|MethodNotAllowed/,
    );
  });

  it('is explained', async () => {
    const { stdout } = await kubectl('explain', 'statusquery.spec.workloads');
    expect(stdout).toContain('The workload objects that are asked about.');
    const { stdout: verbs } = await kubectl(
      'api-resources',
      '--api-group',
      'status.starfold.dev',
      '-o',
      'wide',
    );
    expect(verbs).toMatch(/statusqueries .* StatusQuery +create/);
  });
});

describe('starfold query', () => {
  it('asks the server by its kubeconfig', async () => {
    const columns = ['--group-by', 'wec=inventory.name', '--max', `ready=${READY.def}`];
    const { stdout } = await starfold(
      ...['query', 'deployment/app', '-n', namespace, ...columns, '--kubeconfig', api.config],
    );
    expect(stdout).toBe('WEC    READY\nwec1   3\nwec2   1\n');
  });

  it('prints a StatusCollector that the WDS and Starfold accept', async () => {
    const { stdout } = await starfold('query', '--select', `ready=${READY.def}`, '--save', 'saved');
    const file = join(api.folder, 'saved.yaml');
    writeFileSync(file, stdout);
    const args = ['--kubeconfig', kubeconfigPath, '--context', 'wds'];
    await promisify(execFile)(kubectlPath, [...args, 'create', '--dry-run=server', '-f', file]);
    expect(readFileSync(file, 'utf8')).toContain('kind: StatusCollector');
  });
});
