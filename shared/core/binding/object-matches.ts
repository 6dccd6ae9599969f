import { changedLabels, type Labels } from '#shared/core/labels.ts';
import { objectKey } from '#shared/core/workload.ts';
import type { DownsyncObject, DownsyncObjectRef } from './downsync-object.ts';
import { admits, anyMatches, DIMENSIONS, type DownsyncTest, keysOf } from './downsync-test.ts';
import { isDownsyncable } from './excluded-resources.ts';
import { Multimap } from './multimap.ts';
import { type IndexedObject, ObjectIndex } from './object-index.ts';
import { SharedItems } from './shared-items.ts';

/** Finds the tests that a change can affect: a reverse index of the tests. */
class TestIndex<Item extends { readonly test: DownsyncTest }> {
  readonly #byName = new Multimap<string, Item>();
  readonly #byObjectLabel = new Multimap<string, Item>();
  readonly #byNamespaceLabel = new Multimap<string, Item>();
  readonly #byNamespace = new Multimap<string, Item>();

  add(item: Item): void {
    for (const [index, key] of this.#indexKeys(item)) index.add(key, item);
  }

  delete(item: Item): void {
    for (const [index, key] of this.#indexKeys(item)) index.delete(key, item);
  }

  /** The tests that admit an object by its names. */
  admitting(ref: DownsyncObjectRef): readonly Item[] {
    const names = DIMENSIONS.map((dimension) => `${dimension}/${ref[dimension]}`);
    return [...this.#byName.union(['', ...names])].filter(({ test }) => admits(test, ref));
  }

  /** The tests that admit an object by its names and read one of these labels of it. */
  readingObject(ref: DownsyncObjectRef, labels: Iterable<string>): readonly Item[] {
    return [...this.#byObjectLabel.union(labels)].filter(({ test }) => admits(test, ref));
  }

  /** The tests that select namespaces and can admit an object of this one. */
  selectingNamespace(namespace: string): ReadonlySet<Item> {
    return this.#byNamespace.union(['', `/${namespace}`]);
  }

  /** Like {@link selectingNamespace}, but only the tests that read one of these labels of the Namespace. */
  readingNamespace(namespace: string, labels: Iterable<string>): readonly Item[] {
    return [...this.#byNamespaceLabel.union(labels)].filter(
      ({ test }) => test.exact.namespace?.has(namespace) ?? true,
    );
  }

  /** The index entries of a test: one for the most selective of its names, and one for each label that it reads. */
  *#indexKeys({ test }: Item): Generator<readonly [Multimap<string, Item>, string]> {
    const dimension = DIMENSIONS.find((candidate) => test.exact[candidate] !== undefined);
    const names = dimension === undefined ? undefined : test.exact[dimension];
    for (const name of names ?? []) yield [this.#byName, `${dimension}/${name}`];
    if (names === undefined) yield [this.#byName, ''];
    for (const key of keysOf(test.objectSelectors)) yield [this.#byObjectLabel, key];
    for (const key of keysOf(test.namespaceSelectors)) yield [this.#byNamespaceLabel, key];
    if (test.namespaceSelectors === undefined) return;
    if (test.exact.namespace === undefined) yield [this.#byNamespace, ''];
    for (const namespace of test.exact.namespace ?? []) yield [this.#byNamespace, `/${namespace}`];
  }
}

/** A test that policies use, and the objects that pass it. */
interface TestUse {
  readonly test: DownsyncTest;
  readonly policies: Set<string>;
  readonly members: Set<MatchedObject>;
  /** The namespaces that its namespace selectors match. Empty if the test has no namespace selectors. */
  readonly namespaces: Set<string>;
}

interface MatchedObject extends IndexedObject {
  readonly passed: Set<TestUse>;
}

const NONE: ReadonlySet<IndexedObject> = new Set();

function isNamespace({ group, resource }: DownsyncObjectRef): boolean {
  return group === '' && resource === 'namespaces';
}

function saysAnother(before: DownsyncObject, next: DownsyncObject): boolean {
  return (
    before.contentKey !== next.contentKey ||
    before.uid !== next.uid ||
    before.version !== next.version
  );
}

/** Which objects pass which tests. Each change applies only the tests that read what changed. */
export class ObjectMatches {
  readonly #changed: (policy: string) => void;
  readonly #known = new Map<string, MatchedObject>();
  /** The labels of the existing namespaces, including those that are being deleted. */
  readonly #namespaces = new Map<string, Labels>();
  readonly #objects = new ObjectIndex<MatchedObject>();
  readonly #tests = new TestIndex<TestUse>();
  readonly #uses = new SharedItems<DownsyncTest, TestUse>((test) => ({
    test,
    policies: new Set(),
    members: new Set(),
    namespaces: new Set(),
  }));
  #evaluations = 0;

  /** @param changed is called with each policy for which an object was added, removed or changed */
  constructor(changed: (policy: string) => void) {
    this.#changed = changed;
  }

  /** How often a test was applied to an object, or its namespace selectors to a Namespace. */
  get evaluations(): number {
    return this.#evaluations;
  }

  /** Replaces the tests that a policy uses. Tests that are already in use are not applied again. */
  assign(policy: string, tests: readonly DownsyncTest[]): void {
    const { created, unused } = this.#uses.assign(policy, tests);
    for (const use of unused) {
      this.#tests.delete(use);
      for (const object of use.members) object.passed.delete(use);
    }
    for (const use of created) this.#begin(use);
  }

  /** The objects that pass a test that is in use. */
  passing(test: DownsyncTest): ReadonlySet<IndexedObject> {
    return this.#uses.get(test)?.members ?? NONE;
  }

  set(next: DownsyncObject): void {
    if (!isDownsyncable(next.group, next.resource)) return;
    const key = objectKey(next);
    const object = this.#known.get(key);
    const before = object?.current;
    if (object === undefined) this.#appear(key, next);
    else this.#change(object, next);
    if (isNamespace(next)) this.#setNamespace(next, before?.labels);
  }

  remove(ref: DownsyncObjectRef): void {
    const key = objectKey(ref);
    const object = this.#known.get(key);
    if (object === undefined) return;
    this.#leave(object);
    this.#known.delete(key);
    if (!isNamespace(ref)) return;
    this.#namespaces.delete(ref.name);
    this.#selectAgain(ref.name, this.#tests.selectingNamespace(ref.name));
  }

  #begin(use: TestUse): void {
    const { test } = use;
    this.#tests.add(use);
    if (test.namespaceSelectors !== undefined)
      for (const namespace of test.exact.namespace ?? this.#namespaces.keys())
        if (this.#selects(use, namespace)) use.namespaces.add(namespace);
    for (const object of this.#objects.admittedBy(test)) this.#apply(use, object);
  }

  #appear(key: string, current: DownsyncObject): void {
    const boundResourceVersion = current.resourceVersion;
    const object: MatchedObject = { current, boundResourceVersion, passed: new Set() };
    this.#known.set(key, object);
    if (!current.deleting) this.#enter(object);
  }

  #change(object: MatchedObject, next: DownsyncObject): void {
    const before = object.current;
    object.current = next;
    if (saysAnother(before, next)) {
      object.boundResourceVersion = next.resourceVersion;
      for (const use of object.passed) this.#report(use);
    }
    if (next.deleting) this.#leave(object);
    else if (before.deleting) this.#enter(object);
    else {
      const labels = changedLabels(before.labels, next.labels);
      for (const use of this.#tests.readingObject(next, labels)) this.#apply(use, object);
    }
  }

  #enter(object: MatchedObject): void {
    this.#objects.add(object);
    for (const use of this.#tests.admitting(object.current)) this.#apply(use, object);
  }

  #leave(object: MatchedObject): void {
    this.#objects.delete(object);
    for (const use of object.passed) {
      use.members.delete(object);
      this.#report(use);
    }
    object.passed.clear();
  }

  #setNamespace({ name, labels }: DownsyncObject, before: Labels | undefined): void {
    this.#namespaces.set(name, labels);
    const uses =
      before === undefined
        ? this.#tests.selectingNamespace(name)
        : this.#tests.readingNamespace(name, changedLabels(before, labels));
    this.#selectAgain(name, uses);
  }

  /** Applies namespace selectors again. Objects are checked only if the verdict on their Namespace changes. */
  #selectAgain(namespace: string, uses: Iterable<TestUse>): void {
    for (const use of uses) {
      const selected = this.#selects(use, namespace);
      if (selected === use.namespaces.has(namespace)) continue;
      if (selected) use.namespaces.add(namespace);
      else use.namespaces.delete(namespace);
      for (const object of this.#objects.admittedIn(namespace, use.test)) this.#apply(use, object);
    }
  }

  #selects({ test }: TestUse, namespace: string): boolean {
    const labels = this.#namespaces.get(namespace);
    if (labels === undefined) return false;
    this.#evaluations += 1;
    return anyMatches(test.namespaceSelectors, labels);
  }

  /** Applies a test that admits the names of an object to its namespace and labels. */
  #apply(use: TestUse, object: MatchedObject): void {
    this.#evaluations += 1;
    const { test, namespaces } = use;
    const { namespace, labels } = object.current;
    const passes =
      (test.namespaceSelectors === undefined || namespaces.has(namespace)) &&
      anyMatches(test.objectSelectors, labels);
    if (passes === use.members.has(object)) return;
    if (passes) {
      use.members.add(object);
      object.passed.add(use);
    } else {
      use.members.delete(object);
      object.passed.delete(use);
    }
    this.#report(use);
  }

  #report(use: TestUse): void {
    for (const policy of use.policies) this.#changed(policy);
  }
}
