import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notSentTo } from '#shared/api/list-messages.ts';
import { accessForbidden, leftOut, objectNotFound } from '#shared/api/messages.ts';
import { NO_RULES } from '#shared/api/query-messages.ts';
import { serverVersion } from '#shared/api/server-version.ts';
import { at, parseJson } from '#shared/core/json.ts';
import { applyObjects } from './accounts.ts';
import { type ApiChild, type Said, startApiChild } from './api-child.ts';
import { apply, clusters, createNamespace, kubectl as kubectlOf, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { end } from './stack-child.ts';
import { deployment } from './workloads.ts';

const namespace = 'ask';
const { wds, wec1, wec2, kubectlPath } = clusters();
const app = deployment({ namespace, name: 'app' });
const other = deployment({ namespace, name: 'other' });

let api: ApiChild;

function kubectl(args: readonly string[], config?: string): Promise<Said> {
  return api.kubectl(args, config);
}

async function printed(...args: readonly string[]): Promise<string> {
  return (await kubectl(args)).stdout;
}

/** The cells of the lines, without the line of names. */
async function rows(...args: readonly string[]): Promise<readonly (readonly string[])[]> {
  const lines = (await printed(...args, '--no-headers')).split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split(/ {2,}/));
}

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    for (const { ref, object } of [app, other]) await apply(cluster, ref, object);
  }
  await setStatus(wec1, app.ref, rolledOut(1, 3, minute(1)));
  await setStatus(wec2, app.ref, rolledOut(1, 1, minute(1)));
  await bind({
    name: 'ask',
    destinations: ['wec1', 'wec2'],
    objects: [
      [app.ref, { wantMultiWECReportedState: true }],
      [other.ref, {}],
    ],
  });
  api = await startApiChild();
  await eventually(
    async () => (await rows('get', 'wecst', '-n', namespace)).map((row) => row[4]),
    Array(4).fill('Reported'),
  );
});

afterAll(async () => {
  await clear(wds, [controlRef('bindings', 'ask'), app.ref, other.ref]);
  await api.dispose();
});

describe('kubectl with the kubeconfig that Starfold has written, as the administrator of the WDS', () => {
  it('gets what each WEC reports', async () => {
    expect(await printed('get', 'wecst', '-A')).toMatch(
      /^NAMESPACE +OBJECT +WEC +READY +HEALTH +STATE +AGE\n/,
    );
    const [first, second] = await rows('get', 'wecst', '-A');
    expect(first?.slice(0, 6)).toEqual([
      namespace,
      'deployments.apps/app',
      'wec1',
      '3/3',
      'Healthy',
      'Reported',
    ]);
    expect(second?.slice(0, 6)).toEqual([
      namespace,
      'deployments.apps/app',
      'wec2',
      '1/3',
      'Progressing',
      'Reported',
    ]);
    expect(await printed('get', 'wecst', '-n', namespace, '-o', 'wide')).toMatch(
      /AGE +REPORTED +GENERATION +BINDING +NAME\n.* ask +deployments.apps:app:wec1\n/,
    );
  });

  it('selects by labels and fields', async () => {
    const wecs = async (...args: readonly string[]) =>
      (await rows('get', 'wecst', '-n', namespace, ...args)).map((row) => `${row[0]} ${row[1]}`);
    expect(await wecs('-l', 'app=app')).toEqual([
      'deployments.apps/app wec1',
      'deployments.apps/app wec2',
    ]);
    expect(await wecs('-l', 'starfold.dev/wec in (wec2),app!=app')).toEqual([
      'deployments.apps/other wec2',
    ]);
    expect(await wecs('--field-selector', 'health=Healthy,workload.name=app')).toEqual([
      'deployments.apps/app wec1',
    ]);
    await expect(kubectl(['get', 'wecst', '--field-selector', 'stale=true'])).rejects.toThrow(
      'field label not supported: stale: the fields are metadata.name,',
    );
  });

  it('gets it in pages', async () => {
    const args = ['get', 'wecst', '-n', namespace, '-o', 'name'];
    const whole = await printed(...args);
    expect(whole.split('\n')).toHaveLength(5);
    expect(await printed(...args, '--chunk-size', '1')).toBe(whole);
  });

  it('gets one as JSON, with the whole status', async () => {
    const text = await printed(
      'get',
      'wecst',
      '-n',
      namespace,
      'deployments.apps:app:wec2',
      '-o',
      'json',
    );
    expect(parseJson(text)).toMatchObject({
      kind: 'WECStatus',
      workload: {
        group: 'apps',
        resource: 'deployments',
        kind: 'Deployment',
        namespace,
        name: 'app',
      },
      bindings: ['ask'],
      status: rolledOut(1, 1, minute(1)),
    });
    const name = 'deployments.apps:app:wec9';
    const statuses = { group: 'status.starfold.dev', resource: 'wecstatuses' };
    await expect(kubectl(['get', 'wecst', '-n', namespace, name])).rejects.toThrow(
      objectNotFound(statuses, name),
    );
  });

  it('describes and explains it, and lists the resources', async () => {
    expect(
      await printed('describe', 'wecst', '-n', namespace, 'deployments.apps:app:wec1'),
    ).toMatch(/State: +Reported/);
    expect(await printed('explain', 'wecst.health.status')).toContain(
      'Healthy, Suspended, Progressing',
    );
    expect(await printed('explain', 'wecs')).toContain('workload execution cluster');
    expect(await printed('api-resources')).toMatch(
      /wecstatuses +wecst +status.starfold.dev\/v1alpha1 +true +WECStatus/,
    );
  });

  it('tells its version, which kubectl does not find too old or too new', async () => {
    const { stdout, stderr } = await kubectl(['version', '-o', 'json']);
    expect(at(parseJson(stdout), 'serverVersion')).toEqual(serverVersion());
    expect(stderr).toBe('');
  });

  it('gets why a status is what it is', async () => {
    expect(await printed('get', 'why', '-A')).toMatch(
      /^NAMESPACE +OBJECT +ACTION +HEALTH +DECIDED BY +REPORTED +AGE\n/,
    );
    const [first, second] = await rows('get', 'why', '-n', namespace);
    expect(first?.slice(0, 5)).toEqual([
      ...['deployments.apps/app', 'Aggregate', 'Progressing', 'wec2', '2/2'],
    ]);
    expect(second?.slice(0, 5)).toEqual(['deployments.apps/other', 'Clear', '-', '-', '0/0']);
    const lines = (await printed('get', 'why', '-n', namespace)).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(await printed('get', 'why', '-n', namespace, '-o', 'wide')).toMatch(
      /AGE +REASON +APPLIED +NAME\n.* 2 WECs qualify +Yes +deployments.apps:app\n/,
    );
    const select = ['--field-selector', 'health=Progressing,action=Aggregate', '-o', 'name'];
    expect(await printed('get', 'why', '-n', namespace, ...select)).toBe(
      'explanation.status.starfold.dev/deployments.apps:app\n',
    );
  });

  it('describes and explains why', async () => {
    const why = ['why', '-n', namespace, 'deployments.apps:app'];
    const described = await printed('describe', ...why);
    expect(described).toMatch(/Reason: +1 Binding asks for multi-WEC status; 2 WECs qualify/);
    expect(described).toMatch(/Path: +availableReplicas\n +Rule: +lowest\n +Value: +1\n/);
    expect(described).toMatch(/Up To Date: +true/);
    const said = await printed('explain', 'why.fields');
    expect(said).toContain('KIND:       Explanation');
    expect(said).toMatch(/decidedBy\t<\[\]Object>[\s\S]*departs\t<string>/);
    expect(await printed('explain', 'why.fields.value')).toContain('The value.');
    const since = await printed('get', ...why, '-o', 'jsonpath={.applied.since}');
    expect(Date.parse(since)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
  });

  it('gets what the status would be without a WEC', async () => {
    const path = `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/explanations`;
    const raw = (query: string) =>
      printed('get', '--raw', `${path}/deployments.apps:app?${query}`).then(parseJson);
    expect(await raw('without=wec2')).toMatchObject({
      without: ['wec2'],
      decision: {
        action: 'Copy',
        reason: '1 Binding asks for multi-WEC status; 1 WEC qualifies',
        bindings: [{ name: 'ask', destinations: 1 }],
      },
      verdict: { status: 'Healthy', decidedBy: ['wec1'] },
    });
    const workload = { group: 'apps', resource: 'deployments', namespace, name: 'app' };
    await expect(raw('without=wec3')).rejects.toThrow(notSentTo(workload, 'wec3', 'wec1'));
  });

  it('lists the WECs', async () => {
    expect((await rows('get', 'wecs')).map(([name]) => name)).toEqual(['wec1', 'wec2']);
  });

  it('changes nothing', async () => {
    await expect(
      kubectl(['delete', 'wecst', '-n', namespace, 'deployments.apps:app:wec1']),
    ).rejects.toThrow('MethodNotAllowed');
  });

  it('watches, and waits for what a WEC reports', async () => {
    const args = [
      '--kubeconfig',
      api.config,
      'get',
      'wecst',
      '-n',
      namespace,
      '--field-selector',
      'wec=wec2,workload.name=app',
      '-w',
      '--no-headers',
    ];
    const watch = spawn(kubectlPath, args);
    let seen = '';
    watch.stdout.setEncoding('utf8').on('data', (text) => {
      seen += text;
    });
    await eventually(async () => /1\/3/.test(seen), true);
    const waiting = kubectl([
      'wait',
      'wecst',
      '-n',
      namespace,
      'deployments.apps:app:wec2',
      '--for=jsonpath={.status.readyReplicas}=2',
      '--timeout=30s',
    ]);
    const why = spawn(kubectlPath, [
      ...['--kubeconfig', api.config, 'get', 'why', '-n', namespace, '-w'],
      ...['--no-headers', '--output-watch-events'],
    ]);
    let told = '';
    why.stdout.setEncoding('utf8').on('data', (text) => {
      told += text;
    });
    await eventually(
      async () => /ADDED .*\/app +Aggregate +Progressing +wec2/.test(told) || told,
      true,
    );
    await setStatus(wec1, app.ref, rolledOut(1, 1, minute(2)));
    // kubectl lists before it watches. A watch that begins after the change has it as ADDED (docs/api.md).
    await eventually(
      async () => /(ADDED|MODIFIED) .*\/app +Aggregate +Progressing +wec1 \+1/.test(told) || told,
      true,
    );
    await end(why, 'SIGTERM');
    await setStatus(wec1, app.ref, rolledOut(1, 3, minute(2)));
    await setStatus(wec2, app.ref, rolledOut(1, 2, minute(2)));
    expect((await waiting).stdout).toContain('condition met');
    await eventually(async () => /2\/3 +Progressing/.test(seen) || seen, true);
    await end(watch, 'SIGTERM');
  });

  it('sees that a Binding leaves out a WEC', async () => {
    const args = [
      '--kubeconfig',
      api.config,
      'get',
      'wecst',
      '-n',
      namespace,
      '-l',
      'app=other',
      '-w',
      '--output-watch-events',
      '--no-headers',
    ];
    const watch = spawn(kubectlPath, args);
    let seen = '';
    watch.stdout.setEncoding('utf8').on('data', (text) => {
      seen += text;
    });
    await eventually(async () => /ADDED +deployments.apps\/other +wec2/.test(seen) || seen, true);
    // kubectl lists before it watches. A change that only the watch can show: it watches now.
    await setStatus(wec1, other.ref, rolledOut(1, 1, minute(3)));
    await eventually(async () => /(ADDED|MODIFIED) +\S+other +wec1 +1\/3/.test(seen) || seen, true);
    await bind({
      name: 'ask',
      destinations: ['wec1', 'wec2'],
      objects: [[app.ref, { wantMultiWECReportedState: true }]],
    });
    await eventually(
      async () => /DELETED +\S+other +wec1[\s\S]*DELETED +\S+other +wec2/.test(seen) || seen,
      true,
    );
    await end(watch, 'SIGTERM');
    expect(await rows('get', 'wecst', '-n', namespace, '-l', 'app=other')).toEqual([]);
  });
});

/** A kubeconfig for the API with another user. */
function configOf(name: string, token: string): string {
  const config = JSON.parse(readFileSync(api.config, 'utf8'));
  const file = join(api.folder, name);
  config.users[0].user = { token };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** The name of the user that a ServiceAccount is. */
function userOf(name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** A kubeconfig of a ServiceAccount that may list WECStatuses, and get these resources. */
async function accountWith(name: string, resources: readonly string[]): Promise<string> {
  const metadata = { name, namespace };
  const rules = [
    {
      apiGroups: ['status.starfold.dev'],
      resources: ['wecstatuses'],
      verbs: ['get', 'list', 'watch'],
    },
    ...(resources.length === 0 ? [] : [{ apiGroups: ['apps'], resources, verbs: ['get'] }]),
  ];
  const rbac = 'rbac.authorization.k8s.io';
  await applyObjects(wds, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ]);
  return configOf(
    name,
    (await kubectlOf('wds', ['create', 'token', name, '-n', namespace])).trim(),
  );
}

describe('a ServiceAccount of the WDS', () => {
  const list = ['get', 'wecst', '-n', namespace, '-o', 'name'];
  const one = ['get', 'wecst', '-n', namespace, 'deployments.apps:app:wec1'];

  it('reads what its role allows, with both permissions', async () => {
    const config = await accountWith('reader', ['deployments']);
    expect((await kubectl(list, config)).stdout).toContain('deployments.apps:app:wec1');
    const access = { verb: 'list', group: 'status.starfold.dev', resource: 'wecstatuses' };
    await expect(kubectl(['get', 'wecst', '-A'], config)).rejects.toThrow(
      accessForbidden(userOf('reader'), { ...access, namespace: '', name: '' }, ''),
    );
  });

  it('does not see workload objects that it may not get itself, and is told so', async () => {
    const config = await accountWith('stranger', []);
    const { stdout, stderr } = await kubectl(list, config);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Warning: ${leftOut(['deployments.apps'])}`);
    const access = { verb: 'get', group: 'apps', resource: 'deployments', namespace, name: 'app' };
    await expect(kubectl(one, config)).rejects.toThrow(
      accessForbidden(userOf('stranger'), access, ''),
    );
  });

  it('asks what it may do, and gets the answer of the WDS', async () => {
    const config = await accountWith('asker', ['deployments']);
    const canI = (...args: readonly string[]): Promise<Said> =>
      kubectl(['auth', 'can-i', ...args], config);
    for (const verb of ['list', 'watch'])
      expect((await canI(verb, 'wecst', '-n', namespace)).stdout).toBe('yes\n');
    // kubectl exits with 1 after "no".
    await expect(canI('list', 'wecst', '-A')).rejects.toMatchObject({ stdout: 'no\n' });
    await expect(canI('list', 'explanations', '-n', namespace)).rejects.toMatchObject({
      stdout: 'no\n',
    });
    const all = await canI('--list', '-n', namespace);
    expect(all.stderr).toContain(`the list may be incomplete: ${NO_RULES}`);
  });

  it('asks who it is', async () => {
    const config = await accountWith('known', []);
    const { stdout } = await kubectl(['auth', 'whoami', '-o', 'json'], config);
    expect(at(parseJson(stdout), 'status', 'userInfo')).toMatchObject({
      username: userOf('known'),
      groups: expect.arrayContaining(['system:serviceaccounts', 'system:authenticated']),
    });
    const nobody = kubectl(['auth', 'whoami'], configOf('nobody', 'wrong'));
    await expect(nobody).rejects.toThrow('Unauthorized');
  });

  it('is nobody with a wrong token', async () => {
    await expect(kubectl(list, configOf('nobody', 'wrong'))).rejects.toThrow('Unauthorized');
  });
});

describe('the end of Starfold', () => {
  it('ends watches in good order', async () => {
    const watch = spawn(kubectlPath, [
      '--kubeconfig',
      api.config,
      'get',
      'wecst',
      '-n',
      namespace,
      '-w',
      '-o',
      'name',
    ]);
    let [seen, fault] = ['', ''];
    watch.stdout.setEncoding('utf8').on('data', (text) => {
      seen += text;
    });
    watch.stderr.setEncoding('utf8').on('data', (text) => {
      fault += text;
    });
    await eventually(async () => seen.includes('app:wec2'), true);
    // kubectl has listed. It watches a moment later.
    await delay(500);
    const ended = once(watch, 'exit');
    await api.stop();
    expect(await ended).toEqual([0, null]);
    expect(fault).toBe('');
  });
});
