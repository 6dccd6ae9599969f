import fc from 'fast-check';
import { parseBinding } from '#shared/core/binding/binding.ts';
import type { ReturnedObject } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { workloadContent } from '#shared/core/metadata.ts';
import { createWecStatus } from '#shared/core/status-api/create-wec-status.ts';
import { wecStatusName } from '#shared/core/status-api/status-name.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Scope, StatusSource } from '#shared/ports/status-source.ts';
import { JOURNALED_KEYS } from '#shared/state/status-source/changes.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { type JournaledStore, journaled } from '#test/fakes/memory-journal.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';

const WDS = 'wds1';
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' } as const;
const ROLES = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
} as const;
const KINDS: Readonly<Record<string, string>> = {
  deployments: 'Deployment',
  clusterroles: 'ClusterRole',
  services: 'Service',
  widgets: 'Widget',
};

/** Objects whose names begin with each other's, so that the names of their WECs mingle. */
export const OBJECTS: readonly ObjectRef[] = [
  ...['web', 'web-2', 'web.x', 'web0', 'a'].map((name) => ({
    ...DEPLOYMENTS,
    namespace: 'shop',
    name,
  })),
  ...['shop-2', 'sho'].map((namespace) => ({ ...DEPLOYMENTS, namespace, name: 'web' })),
  { group: '', version: 'v1', resource: 'services', namespace: 'shop', name: 'web' },
  { group: 'demo.example.com', version: 'v1', resource: 'widgets', namespace: 'shop', name: 'w' },
  ...['system', 'system:node', 'system:node:x', 'system-a'].map((name) => ({
    ...ROLES,
    namespace: '',
    name,
  })),
];
export const WECS = ['a', 'edge', 'edge-1', 'ed:ge', 'node', 'x', 'Z'] as const;
const BINDINGS = ['b1', 'b2', 'b3'] as const;

/** One thing that happens. */
export type Deed =
  | {
      readonly type: 'bind';
      readonly binding: number;
      readonly objects: readonly number[];
      readonly wecs: readonly number[];
    }
  | { readonly type: 'unbind'; readonly binding: number }
  | { readonly type: 'apply'; readonly object: number; readonly tier: string }
  | { readonly type: 'remove'; readonly object: number }
  | {
      readonly type: 'report';
      readonly object: number;
      readonly wec: number;
      readonly ready: number | undefined;
    }
  | { readonly type: 'silence'; readonly speaking: readonly number[] }
  | { readonly type: 'settle' };

const object = fc.nat({ max: OBJECTS.length - 1 });
const wec = fc.nat({ max: WECS.length - 1 });
const binding = fc.nat({ max: BINDINGS.length - 1 });
const some = (index: fc.Arbitrary<number>, most: number) =>
  fc.uniqueArray(index, { maxLength: most });
const bind = fc.record({
  type: fc.constant('bind' as const),
  binding,
  objects: some(object, OBJECTS.length),
  wecs: some(wec, WECS.length),
});
const report = fc.record({
  type: fc.constant('report' as const),
  object,
  wec,
  ready: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 5 }),
});

/** Random histories. Each begins with a Binding, so that most have statuses. */
export const histories: fc.Arbitrary<readonly Deed[]> = fc
  .tuple(
    bind,
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: bind },
        { weight: 8, arbitrary: report },
        { weight: 1, arbitrary: fc.record({ type: fc.constant('unbind' as const), binding }) },
        {
          weight: 4,
          arbitrary: fc.record({
            type: fc.constant('apply' as const),
            object,
            tier: fc.constantFrom('gold', 'iron'),
          }),
        },
        { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), object }) },
        {
          weight: 1,
          arbitrary: fc.record({ type: fc.constant('silence' as const), speaking: some(wec, 7) }),
        },
        { weight: 2, arbitrary: fc.constant({ type: 'settle' as const }) },
      ),
      { minLength: 5, maxLength: 30 },
    ),
  )
  .map(([first, deeds]) => [first, ...deeds]);

function controlRef(name: string): ObjectRef {
  return {
    group: 'control.kubestellar.io',
    version: 'v1alpha1',
    resource: 'bindings',
    namespace: '',
    name,
  };
}

function boundAs({ namespace, ...rest }: ObjectRef): JsonObject {
  const wants = { wantMultiWECReportedState: true, resourceVersion: '1' };
  return namespace === '' ? { ...rest, ...wants } : { ...rest, namespace, ...wants };
}

function returnedOf(wecName: string, ready: number): ReturnedObject {
  const status = {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: ready,
    availableReplicas: ready,
  };
  return { uid: `${wecName}-uid`, generation: 1, status };
}

/** A WDS and its WECs, with the real functions, and what a naive look at them says. */
export class SourceWorld {
  readonly journaled: JournaledStore;
  readonly pipeline: Pipeline;
  readonly source: StatusSource;
  /** The last report of each WEC, by object and WEC. `undefined`: it does not have the object any more. */
  readonly #reports = new Map<string, ReturnedObject | undefined>();
  readonly #heard = new Map<string, number>();
  #silent: ReadonlySet<string> = new Set();

  constructor(unsharded?: number, inner = createMemoryItemStore()) {
    this.journaled = journaled(inner, { keys: JOURNALED_KEYS });
    this.pipeline = new Pipeline(unsharded, this.journaled.store);
    this.source = this.sourceOn(this.journaled.store);
  }

  /** A source that reads through another store. */
  sourceOn(store: JournaledStore['store']): StatusSource {
    const { journal } = this.journaled;
    return createStatusSource({ store, wds: WDS, journal, clock: () => this.pipeline.now });
  }

  async play(history: readonly Deed[]): Promise<void> {
    for (const deed of history) await this.#do(deed);
    await this.pipeline.settle();
  }

  async #do(deed: Deed): Promise<void> {
    const { wds } = this.pipeline;
    switch (deed.type) {
      case 'bind': {
        const objects = deed.objects.flatMap((index) => OBJECTS[index] ?? []);
        const [clusterScope, namespaceScope] = [
          objects.filter(({ namespace }) => namespace === ''),
          objects.filter(({ namespace }) => namespace !== ''),
        ];
        const ref = controlRef(String(BINDINGS[deed.binding]));
        wds.apply(ref, {
          apiVersion: 'control.kubestellar.io/v1alpha1',
          kind: 'Binding',
          metadata: { name: ref.name },
          spec: {
            destinations: deed.wecs.map((index) => ({ clusterId: String(WECS[index]) })),
            workload: {
              clusterScope: clusterScope.map(boundAs),
              namespaceScope: namespaceScope.map(boundAs),
            },
          },
        });
        return;
      }
      case 'unbind':
        return wds.remove(controlRef(String(BINDINGS[deed.binding])));
      case 'apply': {
        const ref = this.#object(deed.object);
        const { group, version, resource, namespace, name } = ref;
        wds.apply(ref, {
          apiVersion: group === '' ? version : `${group}/${version}`,
          kind: KINDS[resource] ?? '',
          metadata: { name, namespace, labels: { tier: deed.tier } },
          spec: { replicas: 3 },
        });
        return;
      }
      case 'remove':
        return wds.remove(this.#object(deed.object));
      case 'report': {
        const { version: _version, ...rest } = this.#object(deed.object);
        const workload: WorkloadRef = { wds: WDS, ...rest };
        const name = String(WECS[deed.wec]);
        const returned = deed.ready === undefined ? undefined : returnedOf(name, deed.ready);
        this.#reports.set(`${objectKey(workload)} ${name}`, returned);
        return this.pipeline.tell(name, workload, returned);
      }
      case 'silence':
        return this.#silence(deed.speaking.map((index) => String(WECS[index])));
      case 'settle':
        return this.pipeline.settle();
    }
  }

  /** Time passes; only some WECs speak. */
  async #silence(speaking: readonly string[]): Promise<void> {
    await this.pipeline.settle();
    await this.pipeline.sweepStale(600_000);
    for (const name of speaking) this.pipeline.beat(name);
    await this.pipeline.settle();
    for (const name of speaking) this.#heard.set(name, this.pipeline.now);
    await this.pipeline.sweepStale(0);
    this.#silent = new Set([...this.#heard.keys()].filter((name) => !speaking.includes(name)));
  }

  #object(index: number): ObjectRef {
    const ref = OBJECTS[index];
    if (ref === undefined) throw new RangeError(`no object ${index}`);
    return ref;
  }

  /** Every status of a scope, in order, as Bindings and reports have it. */
  expected(scope: Scope): readonly WecStatus[] {
    const statuses = OBJECTS.filter(({ namespace }) => {
      if (scope === 'cluster') return namespace === '';
      return scope === 'all-namespaces' ? namespace !== '' : namespace === scope.namespace;
    }).flatMap((ref) => this.#statusesOf(ref));
    const keyOf = (one: WecStatus): string =>
      `${one.workload.namespace}\u0000${wecStatusName(one)}`;
    return statuses.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  #statusesOf({ version, ...workload }: ObjectRef): readonly WecStatus[] {
    const standing = this.pipeline.wds.objects();
    const naming = standing
      .filter(({ ref }) => ref.resource === 'bindings')
      .map(({ ref, object: one }) => ({ name: ref.name, ...parseBinding(one) }))
      .filter(({ objects }) => objects.some((one) => objectKey(one) === objectKey(workload)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const found = standing.find(({ ref }) => objectKey(ref) === objectKey(workload))?.object;
    const subject = {
      ...{ workload, version, specs: new Map() },
      ...(found === undefined ? {} : { object: workloadContent(found) }),
    };
    return [...new Set(naming.flatMap(({ destinations }) => destinations))].map((name) => {
      const key = `${objectKey(workload)} ${name}`;
      const returned = this.#reports.get(key);
      const heardMs = this.#heard.get(name);
      return createWecStatus(subject, {
        wec: name,
        silent: this.#silent.has(name),
        bindings: naming
          .filter(({ destinations }) => destinations.includes(name))
          .map((one) => one.name),
        ...(heardMs === undefined
          ? {}
          : { lastContact: new Date(heardMs).toISOString().replace(/\.\d+Z$/, 'Z') }),
        ...(returned === undefined ? {} : { row: { wec: name, ...returned } }),
        ...(this.#reports.has(key) && returned === undefined ? { missing: true as const } : {}),
      });
    });
  }
}
