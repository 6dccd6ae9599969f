import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { asExpected, ROLLOUT_DONE } from '#local/start/demo-messages.ts';
import { countsOf, GONE } from '#local/start/display-messages.ts';
import { stateInUse } from '#local/start/state-messages.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { at, isObject, type JsonObject, member } from '#shared/core/json.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { STARFOLD } from '#test/unit/local/cli/command.ts';
import { workbench } from './start-process.ts';

const DEPLOYMENT = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'rollout',
  name: 'web',
};
const COMBINED_STATUSES = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'combinedstatuses',
};
const DONE = `demo: ${ROLLOUT_DONE}`;

/** The demo's WDS, as a user of its kubeconfig sees it. */
function wdsOf(kubeconfig: string): ObjectApi & ResourceApi {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(readFileSync(kubeconfig, 'utf8'));
  return createKubernetesApi(kubeConfig, {
    context: 'wds1',
    requestTimeoutMs: 60_000,
    fieldManager: 'somebody',
  });
}

async function deployment(api: ObjectApi): Promise<JsonObject> {
  const object = await api.get(DEPLOYMENT);
  if (object === undefined) throw new Error('the WDS has no Deployment web');
  return object;
}

test('plays the rollout, says each change in a line, and ends with 0 when the WDS has the expected content', async () => {
  // All other tests start the command of the package.
  await using bench = workbench(STARFOLD);
  const run = bench.start('--state', bench.file('state.sqlite'), '--speed', '60', '--exit');
  expect(await run.ended).toBe(0);
  expect(run.stderr()).toBe('');
  const lines = run.stdout().trimEnd().split('\n');
  const told = lines.slice(0, -1);
  for (const line of told) expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} (wec[123]|wds1) /);
  for (const cluster of ['wec1', 'wec2', 'wec3', 'wds1'])
    expect(told.filter((line) => line.includes(` ${cluster} deployments.apps`)).at(-1)).toContain(
      `rollout/web: ${countsOf({ ready: '5/5', updated: '5', available: '5', seen: '3/3' }, 'Healthy')}`,
    );
  expect(told.filter((line) => line.includes('totals of')).at(-1)).toContain(
    'ready=15 available=15',
  );
  expect(told.some((line) => / wds1 deployments.* Progressing$/.test(line))).toBe(true);
  expect(lines.at(-1)).toBe(asExpected('wds1'));
});

test('killed in the middle, it starts again on the same state and ends right', async () => {
  await using bench = workbench();
  const args = ['--state', bench.file('state.sqlite'), '--speed', '60'];
  const first = bench.start(...args);
  // A slow machine shows some states only in passing: which one of the middle it is, does not matter.
  await first.line(/wds1 deployments.*seen [23]\/[23]/);
  first.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  const second = bench.start(...args, '--exit');
  expect(await second.ended).toBe(0);
  expect(second.stdout()).toContain(asExpected('wds1'));
});

test('repairs what a user changes of the results, refuses a second process on its state, and ends on SIGINT', async () => {
  await using bench = workbench();
  const state = bench.file('state.sqlite');
  const run = bench.start('--state', state, '--speed', '200');
  await run.line(DONE);
  await run.line(/wds1 deployments.*available 5, seen 3\/3, Healthy/);
  const api = wdsOf(bench.file('kubeconfig'));

  let before = run.count();
  const object = await deployment(api);
  const status = member(object, 'status');
  await api.replaceStatus(DEPLOYMENT, {
    resourceVersion: String(at(object, 'metadata', 'resourceVersion')),
    status: { ...(isObject(status) ? status : {}), availableReplicas: 1 },
  });
  await run.line(/wds1 deployments.*available 1, /, before);
  await run.line(/wds1 deployments.*available 5, /, before);
  expect(member(await deployment(api), 'status')).toEqual(status);

  before = run.count();
  const [combined] = (await api.list(COMBINED_STATUSES, {})).items;
  const metadata = member(combined, 'metadata');
  const text = (key: string): string => String(member(metadata, key));
  const ref = { ...COMBINED_STATUSES, namespace: text('namespace'), name: text('name') };
  await api.delete(ref, { uid: text('uid'), resourceVersion: text('resourceVersion') });
  await run.line(new RegExp(`CombinedStatus totals .*: ${GONE}$`), before);
  await run.line(/CombinedStatus totals .*: ready=15 available=15$/, before);
  const again = await api.get(ref);
  expect(at(again, 'metadata', 'uid')).not.toBe(text('uid'));
  expect(member(again, 'results')).toEqual(member(combined, 'results'));

  const second = bench.start('--state', state);
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toContain(stateInUse(state));

  run.kill('SIGINT');
  expect(await run.ended).toBe(0);
  expect(run.stderr()).toBe('');
});

test('a signal before the end that --exit waits for is no success', async () => {
  await using bench = workbench();
  const run = bench.start('--state', bench.file('state.sqlite'), '--speed', '1', '--exit');
  await run.line(/wds1 deployments/);
  run.kill('SIGTERM');
  expect(await run.ended).toBe(130);
});
