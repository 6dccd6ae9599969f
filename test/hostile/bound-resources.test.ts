import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import { type Stack, startStack } from '#local/stack/stack.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectApi, ObjectRef, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { DEPLOYMENT, statusWith } from '#test/embedded/objects.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const WEB: ObjectRef = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'default',
  name: 'web',
};
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
const V9 = 'deployments.apps/v9';

function bindingRef(name: string): ObjectRef {
  return { ...CONTROL, resource: 'bindings', name };
}

function binding(
  name: string,
  wecs: readonly string[],
  objects: readonly JsonObject[],
): JsonObject {
  const destinations = wecs.map((clusterId) => ({ clusterId }));
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name },
    spec: {
      destinations,
      workload: {
        namespaceScope: objects.map((object) => ({ resourceVersion: '1', ...object })),
      },
    },
  };
}

/** The API of a cluster, with all that was listed and discovered noted. */
function counted(api: ObjectApi & ResourceApi, calls: string[]): ObjectApi & ResourceApi {
  return {
    ...api,
    discover: (signal) => {
      calls.push('discover');
      return api.discover(signal);
    },
    list: (resource, selection, signal) => {
      calls.push(`list ${resource.group}/${resource.version}/${resource.resource}`);
      return api.list(resource, selection, signal);
    },
  };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}

/** A WDS and a WEC with an honest user's Deployment, and the stack on them, which can be started again. */
class World {
  readonly #folder = mkdtempSync(join(tmpdir(), 'starfold-versions-'));
  readonly #observing = new AbortController();
  readonly states = new Map<string, ForwarderState>();
  readonly calls = { wds: [] as string[], wec: [] as string[] };
  /** Every status that the Deployment has had. */
  readonly #statuses: (JsonValue | undefined)[] = [];
  readonly #wds: Cluster;
  readonly #wec: Cluster;
  #stack: Stack | undefined;
  #observed: Promise<void> = Promise.resolve();

  private constructor(wds: Cluster, wec: Cluster) {
    this.#wds = wds;
    this.#wec = wec;
  }

  static async start(): Promise<World> {
    const world = new World(...(await Promise.all([Cluster.start('wds1'), Cluster.start('wec1')])));
    const metadata = { name: WEB.name, namespace: WEB.namespace };
    await world.#wds.set(WEB, () => ({ ...DEPLOYMENT, metadata }));
    await world.#wec.set(WEB, () => ({ ...DEPLOYMENT, metadata, status: statusWith(0) }));
    const asked = { ...WEB, wantMultiWECReportedState: true };
    await world.bind(binding('honest', ['wec1'], [asked]));
    await world.startStack();
    await world.reports(1);
    const { resourceVersion } = await world.#wds.api.list(WEB, {});
    const onEvent: Parameters<ResourceApi['watch']>[1]['onEvent'] = (event) => {
      if (event.type !== 'BOOKMARK') world.#statuses.push(at(event.object, 'status', 'replicas'));
    };
    const { signal } = world.#observing;
    world.#observed = world.#wds.api.watch(WEB, { resourceVersion, onEvent }, signal);
    return world;
  }

  async startStack(): Promise<void> {
    await this.#stack?.stop();
    this.states.clear();
    this.#stack = await startStack({
      file: join(this.#folder, 'state.sqlite'),
      wds: { name: 'wds1', api: counted(this.#wds.stackApi, this.calls.wds) },
      wecs: [{ name: 'wec1', api: counted(this.#wec.stackApi, this.calls.wec) }],
      observability: createObservedOutput().observability,
      writer: { identity: 'versions', runsAs: 'test' },
      onForwarder: (cluster, state) => void this.states.set(cluster, state),
    });
  }

  async bind(object: JsonObject): Promise<void> {
    await this.#wds.set(bindingRef(String(at(object, 'metadata', 'name'))), () => object);
  }

  async unbind(name: string): Promise<void> {
    await this.#wds.remove(bindingRef(name));
  }

  /** The WEC says that so many are available, and the honest user sees it. */
  async reports(available: number): Promise<void> {
    await this.#wec.edit(WEB, (standing) => ({ ...standing, status: statusWith(available) }));
    await until(async () => {
      const web = await this.#wds.api.get(WEB);
      return at(web ?? {}, 'status', 'availableReplicas') === available;
    });
  }

  /** Waits until both forwarders have looked for what is named. */
  async noticed(text: string): Promise<void> {
    await until(() =>
      ['wds/wds1', 'wec/wec1'].every((key) =>
        this.states.get(key)?.problems.some((problem) => problem.includes(text)),
      ),
    );
  }

  async complete(): Promise<void> {
    await until(() => ['wds/wds1', 'wec/wec1'].every((key) => this.states.get(key)?.complete));
  }

  /** The replicas in every status that the Deployment has had; it has had one since the start. */
  async replicas(): Promise<ReadonlySet<JsonValue | undefined>> {
    await until(() => this.#statuses.length > 0);
    return new Set(this.#statuses);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#observing.abort();
    await this.#observed;
    await this.#stack?.stop();
    await Promise.all([this.#wds.close(), this.#wec.close()]);
    rmSync(this.#folder, { recursive: true });
  }
}

test("a Binding that names a version which nobody serves takes no other user's status, nor after a restart", async () => {
  await using world = await World.start();
  const nothing = { ...WEB, version: 'v9', namespace: 'mallory', name: 'nothing' };
  const web = { ...WEB, version: 'v9', wantMultiWECReportedState: true };
  // Before and after the honest one by its name; the one of nothing, the other of the honest user's very object.
  for (const name of ['aaa', 'zzz']) await world.bind(binding(name, [], [nothing]));
  await world.bind(binding('aab', ['wec1'], [web]));
  await world.noticed(V9);
  await world.reports(2);
  for (const available of [1, 2]) {
    await world.startStack();
    await world.complete();
    await world.noticed(V9);
    await world.reports(available);
  }
  expect(await world.replicas()).toEqual(new Set([2]));
  for (const { resources } of world.states.values())
    expect([...resources.keys()]).not.toContain(V9);
  expect([...world.calls.wds, ...world.calls.wec]).not.toContain('list apps/v9/deployments');
});

test('a Binding that names thousands of resources which nobody serves takes one look for all of them', async () => {
  await using world = await World.start();
  const objects = Array.from({ length: 5000 }, (_, index) => ({
    group: `g${index}.example.com`,
    version: 'v1',
    resource: 'things',
    namespace: 'mallory',
    name: 'x',
  }));
  await world.bind(binding('aaa', [], objects));
  await world.noticed('and 4995 more resources that are named');
  await world.reports(2);
  await world.startStack();
  await world.complete();
  await world.reports(1);
  const all = [...world.calls.wds, ...world.calls.wec];
  expect(all.filter((call) => call.includes('example.com'))).toEqual([]);
  // Two forwarders, twice; each looks once a second at most, and twice as long after each.
  expect(all.filter((call) => call === 'discover').length).toBeLessThan(40);
  for (const { resources } of world.states.values()) expect(resources.size).toBeLessThan(10);
  expect(await world.replicas()).toEqual(new Set([2]));
});

test('Bindings that come and go restart no forwarder, and have nothing listed again that stays', async () => {
  await using world = await World.start();
  const services = { group: '', version: 'v1', resource: 'services', namespace: 'm', name: 'x' };
  for (let step = 0; step < 30; step += 1) {
    await world.bind(binding('aaa', [], [services]));
    await delay(20);
    await world.unbind('aaa');
  }
  await world.bind(binding('aaa', [], [services]));
  await until(() => world.states.get('wec/wec1')?.resources.has('services/v1') === true);
  await world.reports(2);
  expect(world.calls.wec.filter((call) => call === 'list apps/v1/deployments')).toHaveLength(1);
  expect(await world.replicas()).toEqual(new Set([2]));
});
