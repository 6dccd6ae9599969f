import { type BoundObject, parseBinding } from '#shared/core/binding/binding.ts';
import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { isBuiltInGroup } from '#shared/core/schema/built-in-kinds.ts';
import { definitionName } from '#shared/core/schema/definition-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { comparedBinding } from './compared-binding.ts';
import type { Reflection } from './reflector.ts';
import {
  groupResource,
  ledgerKey,
  Reflectors,
  type Source,
  type SourceDeps,
  subjectOf,
  withoutMetadata,
} from './source.ts';
import { hasStatusAsContent } from './status-as-content.ts';

const GROUP = 'control.kubestellar.io';
const VERSION = 'v1alpha1';

const BINDINGS: Resource = { group: GROUP, version: VERSION, resource: 'bindings' };

/** What is told of whether or not a Binding names it. */
const ALWAYS: readonly Resource[] = [
  BINDINGS,
  ...['bindingpolicies', 'statuscollectors', 'combinedstatuses'].map((resource) => ({
    group: GROUP,
    version: VERSION,
    resource,
  })),
];

/** Labels that Starfold and KubeStellar put on a workload object whose `.status` they wrote. */
const OWNED_LABELS = ['managed-by.kubestellar.io/', 'kubestellar.io/executing-count'];

function isOwned(object: JsonObject): boolean {
  const labels = at(object, 'metadata', 'labels');
  if (!isObject(labels)) return false;
  return Object.keys(labels).some((label) => OWNED_LABELS.some((own) => label.startsWith(own)));
}

function isControl(resource: Resource): boolean {
  return ALWAYS.some((own) => groupResource(own) === groupResource(resource));
}

/**
 * What is kept and told of an object. A workload object's generation is left out where writing its status raises it:
 * statuses would be translated to it, and each write would ask for the next one, for ever.
 */
function toldObject(resource: Resource, object: JsonObject): JsonObject {
  return !isControl(resource) && hasStatusAsContent(object)
    ? withoutMetadata(object, 'managedFields', 'generation')
    : withoutMetadata(object, 'managedFields');
}

/** A workload object that a Binding names, or the definition of one. */
interface Named {
  readonly resource: Resource;
  /** The reflector's key: `<namespace>/<name>`. */
  readonly key: string;
}

type Identity = Omit<BoundObject, 'modulation'>;

/**
 * The CustomResourceDefinition that an object's collectors are checked against (design, section 9.15). It is followed as
 * if the Binding named it.
 */
function definitionOf({ modulation, ...object }: BoundObject): readonly Identity[] {
  if (modulation.statusCollectors.length === 0 || isBuiltInGroup(object.group)) return [];
  return [{ ...definitionName(object), version: 'v1' }];
}

/** What a Binding names, and the definitions that go with it, each under a text of all that is told here. */
function namedIn(binding: JsonObject): Map<string, Named> {
  const { objects } = parseBinding(binding);
  const named: readonly Identity[] = [...objects, ...objects.flatMap(definitionOf)];
  return new Map(
    named.map(({ group, version, resource, namespace, name }) => [
      `${group}/${version}/${resource}/${namespace}/${name}`,
      { resource: { group, version, resource }, key: `${namespace}/${name}` },
    ]),
  );
}

function isSame(a: Resource, b: Resource): boolean {
  return groupResource(a) === groupResource(b) && a.version === b.version;
}

/**
 * A workload description space: KubeStellar's own objects, the workload objects that a Binding names or that still carry
 * what Starfold wrote (design, section 5, "The protocol", rule 4), and the CustomResourceDefinitions that collectors are
 * checked against. Every change of them is told, also of status and labels: these events are the echo of what is written
 * there.
 */
export class WdsSource implements Source {
  readonly #deps: SourceDeps;
  readonly #reflectors: Reflectors;
  /** What each Binding names, by its reflector's key. */
  readonly #namedBy = new Map<string, ReadonlyMap<string, Named>>();
  /** How many Bindings name an object, by ledger key. */
  readonly #naming = new Map<string, number>();
  #bindingsKnown = false;
  /** Every object of a followed workload resource without managedFields: a Binding may name it later. */
  readonly #seen = new Map<string, JsonObject>();

  constructor(deps: SourceDeps) {
    this.#deps = deps;
    this.#reflectors = new Reflectors(deps, (resource, reflection) =>
      this.#reflect(resource, reflection),
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const resource of ALWAYS) this.#reflectors.follow(resource, {});
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    await this.#reflectors.stop();
  }

  complete(): boolean {
    return this.#reflectors.resources().length > 0 && this.#reflectors.synced();
  }

  states(): ReturnType<Source['states']> {
    return this.#reflectors.states();
  }

  error(): string | undefined {
    return undefined;
  }

  #reflect(resource: Resource, reflection: Reflection): void {
    if (reflection.type === 'synced') {
      // While the first Bindings come in one by one, what the next ones name is not known.
      if (!isSame(resource, BINDINGS)) return;
      this.#bindingsKnown = true;
      this.#followNamed();
      return;
    }
    const key = ledgerKey(resource, reflection.key);
    if (reflection.type === 'deleted') this.#seen.delete(key);
    else this.#seen.set(key, toldObject(resource, reflection.object));
    this.#tell(resource, reflection.key);
    if (isSame(resource, BINDINGS)) this.#rename(reflection);
  }

  /** Tells what stands of an object, if it is one to be told of. */
  #tell(resource: Resource, key: string): void {
    const ledger = ledgerKey(resource, key);
    const object = this.#seen.get(ledger);
    const statement = { type: 'wds-object', subject: subjectOf(resource, key) } as const;
    if (object === undefined || !this.#isToldOf(resource, ledger, object)) {
      this.#deps.ledger.fall(ledger, statement);
      return;
    }
    const compared = isSame(resource, BINDINGS) ? comparedBinding(object) : object;
    this.#deps.ledger.stand(ledger, { ...statement, object }, compared);
  }

  #isToldOf(resource: Resource, ledger: string, object: JsonObject): boolean {
    return isControl(resource) || this.#naming.has(ledger) || isOwned(object);
  }

  /** A Binding has changed: other objects may be named. */
  #rename(reflection: Exclude<Reflection, { type: 'synced' }>): void {
    const before = this.#namedBy.get(reflection.key) ?? new Map<string, Named>();
    const after = reflection.type === 'deleted' ? new Map() : namedIn(reflection.object);
    if (reflection.type === 'deleted') this.#namedBy.delete(reflection.key);
    else this.#namedBy.set(reflection.key, after);
    const come = [...after].filter(([name]) => !before.has(name)).map(([, named]) => named);
    const gone = [...before].filter(([name]) => !after.has(name)).map(([, named]) => named);
    for (const named of come) this.#count(named, 1);
    for (const named of gone) this.#count(named, -1);
    if (come.length + gone.length === 0) return;
    if (this.#bindingsKnown) this.#followNamed();
    for (const { resource, key } of [...gone, ...come]) this.#tell(resource, key);
  }

  #count({ resource, key }: Named, difference: 1 | -1): void {
    const ledger = ledgerKey(resource, key);
    const count = (this.#naming.get(ledger) ?? 0) + difference;
    if (count === 0) this.#naming.delete(ledger);
    else this.#naming.set(ledger, count);
  }

  /** Follows the resources of named and of owned objects, and no others. */
  #followNamed(): void {
    const followed = this.#reflectors.resources();
    const wanted = this.#namedResources(followed);
    for (const resource of ALWAYS) wanted.set(groupResource(resource), resource);
    for (const resource of followed) {
      const kept = wanted.get(groupResource(resource));
      const stays = kept === undefined ? this.#ownsSomethingOf(resource) : isSame(kept, resource);
      if (!stays) this.#reflectors.unfollow(resource);
    }
    for (const resource of wanted.values()) this.#reflectors.follow(resource, {});
  }

  /** The named resources: of two versions of one the followed one, else the first that is found. */
  #namedResources(followed: readonly Resource[]): Map<string, Resource> {
    const named = new Map<string, Resource>();
    for (const objects of this.#namedBy.values())
      for (const { resource } of objects.values()) {
        const key = groupResource(resource);
        const known = named.get(key);
        const better = followed.some((current) => isSame(current, resource));
        if (known === undefined || (better && !isSame(known, resource))) named.set(key, resource);
      }
    return named;
  }

  #ownsSomethingOf(resource: Resource): boolean {
    const prefix = ledgerKey(resource, '');
    return [...this.#seen].some(([key, object]) => key.startsWith(prefix) && isOwned(object));
  }
}
