import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { BindingResolver, resolveOnce } from '#shared/core/binding/binding-resolver.ts';
import type { DownsyncObject, DownsyncObjectRef } from '#shared/core/binding/downsync-object.ts';
import type { ResolvedBinding } from '#shared/core/binding/resolved-binding.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { changedLabels, type Labels } from '#shared/core/labels.ts';
import { objectKey } from '#shared/core/workload.ts';
import { histories } from '#test/histories.ts';
import {
  admitsNames,
  naiveResolution,
  nameMatches,
  type World,
  type WrittenClause,
  type WrittenSelector,
  type WrittenSpec,
} from './naive-resolution.ts';

const POLICIES = ['p', 'q'];
const KINDS = [
  { group: 'apps', resource: 'deployments', namespaced: true },
  { group: '', resource: 'configmaps', namespaced: true },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', namespaced: false },
  { group: '', resource: 'namespaces', namespaced: false },
  { group: '', resource: 'namespaces', namespaced: false },
  { group: '', resource: 'nodes', namespaced: false },
  { group: 'coordination.k8s.io', resource: 'leases', namespaced: true },
] as const;

const key = fc.constantFrom('k', 'l');
const value = fc.constantFrom('1', '2');
/** Nobody selects by `unread`. */
const labels = fc.dictionary(fc.constantFrom('k', 'l', 'unread'), value, { maxKeys: 3 });

const expression = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(value, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const faultySelector = fc.constantFrom<WrittenSelector>(
  { matchLabel: { k: '1' } },
  { matchExpressions: [{ key: 'k', operator: 'Equals', values: ['1'] }] },
  { matchExpressions: [{ key: 'k', operator: 'NotIn' }] },
  { matchExpressions: [{ key: 'k', operator: 'DoesNotExist', values: ['1'] }] },
);
const selector: fc.Arbitrary<WrittenSelector> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ matchLabels: fc.dictionary(key, value, { maxKeys: 1 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      matchExpressions: fc.array(expression, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: faultySelector },
);
const selectors = fc.array(selector, { maxLength: 2 });
const names = (...all: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.array(fc.constantFrom(...all, '*'), { maxLength: 2 });

const usualClause: fc.Arbitrary<WrittenClause> = fc.record(
  {
    apiGroup: fc.constantFrom('', 'apps'),
    resources: names('deployments', 'configmaps', 'namespaces', 'nodes', 'leases'),
    namespaces: names('a', 'b', ''),
    objectNames: names('a', 'b'),
    objectSelectors: selectors,
    namespaceSelectors: selectors,
    createOnly: fc.constantFrom<(boolean | 'yes')[]>(true, false, false, 'yes'),
    statusCollectors: fc.subarray(['c1', 'c2', 'c3']),
    wantSingletonReportedState: fc.boolean(),
    wantMultiWECReportedState: fc.boolean(),
  },
  { requiredKeys: [] },
);
/** Names no object, or selects by labels alone. */
const bareClause: fc.Arbitrary<WrittenClause> = fc.oneof(
  fc.record({ statusCollectors: fc.subarray(['c1', 'c2']) }),
  fc.record({ objectSelectors: fc.array(selector, { minLength: 1, maxLength: 2 }) }),
  fc.record({ namespaceSelectors: fc.array(selector, { minLength: 1, maxLength: 2 }) }),
);
const clause = fc.oneof(usualClause, bareClause);
const spec: fc.Arbitrary<WrittenSpec> = fc.record({
  clusterSelectors: selectors,
  downsync: fc.array(clause, { maxLength: 3 }),
});

/** The names of an object; `a` and `b` are names of objects and of namespaces. */
const ref = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    namespace: fc.constantFrom('a', 'b'),
    name: fc.constantFrom('a', 'b'),
  })
  .map(({ kind: { group, resource, namespaced }, namespace, name }) => ({
    group,
    resource,
    namespace: namespaced ? namespace : '',
    name,
  }));

const policy = fc.constantFrom(...POLICIES);
const cluster = fc.constantFrom('wec1', 'wec2', 'wec3');
const change = fc.oneof(
  fc.record({ type: fc.constant('set policy' as const), policy, spec }),
  fc.record({
    type: fc.constant('set cluster selectors' as const),
    policy,
    clusterSelectors: selectors,
  }),
  fc.record({
    type: fc.constant('ask for other collectors' as const),
    policy,
    statusCollectors: fc.subarray(['c1', 'c2', 'c3']),
  }),
  fc.record({ type: fc.constant('remove policy' as const), policy }),
  ...[1, 2, 3].map(() =>
    fc.record({
      type: fc.constant('set object' as const),
      ref,
      labels,
      content: fc.constantFrom('x', 'y'),
      uid: fc.constantFrom('u1', 'u1', 'u2'),
      version: fc.constantFrom('v1', 'v1', 'v2'),
      deleting: fc.constantFrom(false, false, false, true),
    }),
  ),
  ...[1, 2].map(() =>
    fc.record({ type: fc.constant('label an object' as const), index: fc.nat(), labels }),
  ),
  fc.record({
    type: fc.constantFrom('write the status of an object' as const, 'recreate an object' as const),
    index: fc.nat(),
  }),
  fc.record({ type: fc.constant('remove an object' as const), index: fc.nat() }),
  fc.record({ type: fc.constant('remove what may not be there' as const), ref }),
  fc.record({ type: fc.constant('set cluster' as const), cluster, labels }),
  fc.record({ type: fc.constant('remove cluster' as const), cluster }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function keysOf(written: readonly WrittenSelector[] = []): readonly string[] {
  return written.flatMap(({ matchLabels = {}, matchExpressions = [] }) => [
    ...Object.keys(matchLabels),
    ...matchExpressions.map((one) => one.key),
  ]);
}

function reads(written: readonly WrittenSelector[] | undefined, changed: ReadonlySet<string>) {
  return keysOf(written).some((one) => changed.has(one));
}

function isNamespace({ group, resource }: DownsyncObject): boolean {
  return group === '' && resource === 'namespaces';
}

/** A resolver beside a plain record of all that it was told. */
class Twin {
  readonly resolver = new BindingResolver();
  readonly policies = new Map<string, WrittenSpec>();
  readonly objects = new Map<string, DownsyncObject>();
  readonly boundVersions = new Map<string, string>();
  readonly clusters = new Map<string, Labels>();
  #step = 0;

  world(): World {
    const { policies, clusters } = this;
    return { policies, objects: [...this.objects.values()], clusters };
  }

  /** What the policy means, by the record alone. */
  expected(name: string): ResolvedBinding | undefined {
    const written = this.policies.get(name);
    if (written === undefined) return undefined;
    const { destinations, matches } = naiveResolution(written, this.world());
    const objects = matches.map(({ object, modulation }) => {
      const { group, version, resource, namespace, name: objectName } = object;
      const resourceVersion = this.boundVersions.get(objectKey(object)) ?? '';
      return { group, version, resource, namespace, name: objectName, resourceVersion, modulation };
    });
    return { destinations, objects };
  }

  /** Applies a change to both and tells how many evaluations it may cost at most. */
  apply(one: Change): number {
    this.#step += 1;
    switch (one.type) {
      case 'set policy':
        return this.#setPolicy(one.policy, one.spec);
      case 'set cluster selectors': {
        const downsync = this.policies.get(one.policy)?.downsync ?? [];
        return this.#setPolicy(one.policy, { clusterSelectors: one.clusterSelectors, downsync });
      }
      case 'remove policy':
        this.policies.delete(one.policy);
        this.resolver.removePolicy(one.policy);
        return 0;
      case 'set object': {
        const { ref: names, labels: its, content, uid, version, deleting } = one;
        const resourceVersion = String(this.#step);
        const object = { ...names, version, uid, labels: its, deleting, resourceVersion };
        return this.#setObject({ ...object, contentKey: `${content} ${stringifyJson(its)}` });
      }
      case 'ask for other collectors': {
        const written = this.policies.get(one.policy);
        if (written === undefined) return 0;
        const { statusCollectors } = one;
        const downsync = written.downsync.map((asking) => ({ ...asking, statusCollectors }));
        this.#setPolicy(one.policy, { ...written, downsync });
        return 0;
      }
      case 'label an object':
        return this.#update(one.index, { labels: one.labels });
      case 'write the status of an object':
        return this.#update(one.index, {});
      case 'recreate an object':
        return this.#update(one.index, { uid: `uid of step ${this.#step}` });
      case 'remove an object': {
        const object = this.#pick(one.index);
        return object === undefined ? 0 : this.#removeObject(object);
      }
      case 'remove what may not be there':
        return this.#removeObject(one.ref);
      case 'set cluster':
        return this.#setCluster(one.cluster, one.labels);
      case 'remove cluster':
        this.clusters.delete(one.cluster);
        this.resolver.removeCluster(one.cluster);
        return 0;
    }
  }

  #pick(index: number): DownsyncObject | undefined {
    return [...this.objects.values()][index % Math.max(this.objects.size, 1)];
  }

  #update(index: number, change: Partial<DownsyncObject>): number {
    const object = this.#pick(index);
    if (object === undefined) return 0;
    return this.#setObject({ ...object, ...change, resourceVersion: String(this.#step) });
  }

  #removeObject(names: DownsyncObjectRef): number {
    const object = this.objects.get(objectKey(names));
    this.objects.delete(objectKey(names));
    this.resolver.removeObject(names);
    return object === undefined ? 0 : this.#costInNamespace(object, () => true);
  }

  #clauses(): readonly WrittenClause[] {
    return [...this.policies.values()].flatMap(({ downsync }) => downsync);
  }

  #selectors(): readonly WrittenSelector[] {
    return [...this.policies.values()].flatMap(({ clusterSelectors }) => clusterSelectors);
  }

  #setPolicy(name: string, written: WrittenSpec): number {
    const known = new Set([...this.#clauses(), ...this.#selectors()].map(stringifyJson));
    const isNew = (one: WrittenClause | WrittenSelector): boolean => !known.has(stringifyJson(one));
    this.policies.set(name, written);
    const metadata = { name, uid: `uid of ${name}` };
    this.resolver.setPolicy(parseBindingPolicy({ metadata, spec: written }));
    // An object may be looked at, and so may its namespace.
    return (
      written.downsync.filter(isNew).length * this.objects.size * 2 +
      written.clusterSelectors.filter(isNew).length * this.clusters.size
    );
  }

  /** Evaluations for a Namespace: by the clauses that may look at it, of it and of the objects in it. */
  #costInNamespace(object: DownsyncObject, isAffected: (clause: WrittenClause) => boolean): number {
    if (!isNamespace(object)) return 0;
    const inside = [...this.objects.values()].filter(({ namespace }) => namespace === object.name);
    const selecting = this.#clauses().filter(
      ({ namespaces, namespaceSelectors = [] }) =>
        namespaceSelectors.length > 0 && nameMatches(namespaces, object.name),
    );
    return selecting.filter(isAffected).length * (1 + inside.length);
  }

  #setObject(object: DownsyncObject): number {
    const id = objectKey(object);
    const before = this.objects.get(id);
    const saysAnother =
      before?.contentKey !== object.contentKey ||
      before.uid !== object.uid ||
      before.version !== object.version;
    if (saysAnother) this.boundVersions.set(id, object.resourceVersion);
    this.objects.set(id, object);
    this.resolver.setObject(object);
    const admitting = this.#clauses().filter((one) => admitsNames(one, object));
    if (before === undefined) return admitting.length + this.#costInNamespace(object, () => true);
    const changed = changedLabels(before.labels, object.labels);
    const testing = before.deleting
      ? admitting
      : admitting.filter((one) => reads(one.objectSelectors, changed));
    const inNamespace = this.#costInNamespace(object, (one) =>
      reads(one.namespaceSelectors, changed),
    );
    return (object.deleting ? 0 : testing.length) + inNamespace;
  }

  #setCluster(name: string, its: Labels): number {
    const before = this.clusters.get(name);
    this.clusters.set(name, its);
    this.resolver.setCluster(name, its);
    if (before === undefined) return this.#selectors().length;
    const changed = changedLabels(before, its);
    return this.#selectors().filter((one) => reads([one], changed)).length;
  }
}

const changes = fc.array(change, { minLength: 1, maxLength: 60, size: 'max' });

describe('BindingResolver', () => {
  it('after every change says what a fresh look at everything says, and told that it would', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const twin = new Twin();
        for (const one of all) {
          const before = new Map(twin.resolver.resolutions());
          twin.apply(one);
          const told = twin.resolver.takeChanged();
          for (const name of POLICIES) {
            const after = twin.resolver.resolved(name);
            expect(after).toEqual(twin.expected(name));
            const isSame = JSON.stringify(after) === JSON.stringify(before.get(name));
            expect(isSame || told.includes(name)).toBe(true);
          }
        }
      }),
      { numRuns: histories({ first: 100, all: 300 }) },
    );
  });

  it('evaluates only what a change can affect', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const twin = new Twin();
        for (const one of all) {
          const before = twin.resolver.evaluations;
          const atMost = twin.apply(one);
          expect(twin.resolver.evaluations - before).toBeLessThanOrEqual(atMost);
        }
      }),
      { numRuns: histories({ first: 100, all: 300 }) },
    );
  });

  it('evaluates nothing and changes nothing for a label that nobody reads, and for a status', () => {
    fc.assert(
      fc.property(changes, value, (all, other) => {
        const twin = new Twin();
        for (const one of all) twin.apply(one);
        twin.resolver.takeChanged();
        const before = twin.resolver.evaluations;
        for (const [name, its] of twin.clusters)
          twin.resolver.setCluster(name, { ...its, unread: other });
        for (const object of twin.objects.values())
          twin.resolver.setObject({
            ...object,
            resourceVersion: 'later',
            labels: { ...object.labels, unread: other },
          });
        expect(twin.resolver.evaluations).toBe(before);
        expect(twin.resolver.takeChanged()).toEqual([]);
      }),
    );
  });

  it('says after any history what it says without one, but for older resourceVersions', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const twin = new Twin();
        for (const one of all) twin.apply(one);
        const policies = POLICIES.flatMap((name) => twin.resolver.policy(name) ?? []);
        const once = resolveOnce(policies, twin.objects.values(), twin.clusters);
        const withoutVersions = (resolved: ResolvedBinding | undefined) => ({
          ...resolved,
          objects: resolved?.objects.map((object) => ({ ...object, resourceVersion: '' })),
        });
        for (const name of POLICIES)
          expect(withoutVersions(once.get(name))).toEqual(
            withoutVersions(twin.resolver.resolved(name)),
          );
      }),
    );
  });
});
