import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startStack } from '#local/stack/stack.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { at, isArray, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { readSetAside } from '#shared/state/set-aside.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { DEPLOYMENT, statusWith } from './objects.ts';

const HONEST = ['api', 'db', 'web'] as const;
const POISONED = ['endless', 'greedy', 'leaving'] as const;
const BINDING: ObjectRef = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'bindings',
  namespace: '',
  name: 'all',
};

function refOf(name: string): ObjectRef {
  return { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default', name };
}

function deployment(name: string): JsonObject {
  return { ...DEPLOYMENT, metadata: { name, namespace: 'default' } };
}

function binding(): JsonObject {
  const objects = [...HONEST, ...POISONED].map((name) => ({
    ...refOf(name),
    resourceVersion: '1',
    wantMultiWECReportedState: true,
  }));
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: BINDING.name },
    spec: { destinations: [{ clusterId: 'wec1' }], workload: { namespaceScope: objects } },
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(50);
}

/** The clusters, and a stack on them whose workers are poisoned. */
async function world() {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-poison-'));
  const file = join(folder, 'state.sqlite');
  const [wds, wec] = await Promise.all([Cluster.start('wds1'), Cluster.start('wec1')]);
  const output = createObservedOutput();
  const stack = await startStack({
    file,
    wds: { name: 'wds1', api: wds.stackApi },
    wecs: [{ name: 'wec1', api: wec.stackApi }],
    observability: output.observability,
    writer: { identity: 'poison', runsAs: 'test' },
    aggregation: {
      entry: new URL('./poisoned-worker.ts', import.meta.url),
      memoryMb: 128,
      invocationMs: 4_000,
    },
  });
  return {
    file,
    wds,
    wec,
    output,
    errors: async (): Promise<readonly string[]> => {
      const errors = at(await wds.api.get(BINDING), 'status', 'errors');
      return (isArray(errors) ? errors : []).map(String);
    },
    available: async (name: string) =>
      at(await wds.api.get(refOf(name)), 'status', 'availableReplicas'),
    async [Symbol.asyncDispose]() {
      await stack.stop();
      await Promise.all([wds.close(), wec.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

test('workloads that loop, take all memory or end their thread are set aside alone; the others and the process go on', async () => {
  await using stack = await world();
  const { wds, wec } = stack;
  for (const name of [...HONEST, ...POISONED]) {
    await wds.set(refOf(name), () => deployment(name));
    await wec.set(refOf(name), () => ({ ...deployment(name), status: statusWith(1) }));
  }
  await wds.set(BINDING, binding);
  await until(async () => {
    const errors = await stack.errors();
    return POISONED.every((name) => errors.some((error) => error.includes(`default/${name} `)));
  });
  await until(async () => {
    const available = await Promise.all(HONEST.map(stack.available));
    return available.every((count) => count === 1);
  });

  // The pipeline goes on: a change of another object comes through while they are set aside.
  await wec.edit(refOf('web'), (standing) => ({ ...standing, status: statusWith(2) }));
  await until(async () => (await stack.available('web')) === 2);
  expect(await Promise.all(POISONED.map(stack.available))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const errors = await stack.errors();
  expect(errors).toHaveLength(POISONED.length);
  for (const error of errors) expect(error).toContain('aggregating it stopped the process twice');

  const database = openSqliteDatabase(stack.file);
  const aside = await readSetAside(createSqliteItemStore(database));
  database.close();
  expect(aside.map(({ pk }) => pk.slice(pk.lastIndexOf('/') + 1))).toEqual([...POISONED]);
  // Lines of the workers stand where those of the process do.
  const lines = stack.output.lines();
  expect(lines.some((line) => line['service'] === 'aggregate-workload')).toBe(true);
});
