import { type BoundObject, parseBinding } from '#shared/core/binding/binding.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import {
  controlResource,
  EXECUTING_COUNT_LABEL,
  MANAGED_BY_PREFIX,
} from '#shared/core/kubestellar.ts';
import { withoutMetadata } from '#shared/core/metadata.ts';
import { groupResource, isSameResource } from '#shared/core/resource-name.ts';
import { isBuiltInGroup } from '#shared/core/schema/built-in-kinds.ts';
import { definitionName } from '#shared/core/schema/definition-name.ts';
import { hasStatusAsContent } from '#shared/core/status-as-content.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { NamesByAge } from '#shared/watch/names-by-age.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { NamedSource } from './named-source.ts';
import { digestKeyOf, type SourceDeps, subjectOf } from './source.ts';

/** The annotation in which `kubectl apply` stores the whole object as it was applied. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A Secret of the core group without its data, including the copy of the data that kubectl may have stored. */
function withoutSecretData(object: JsonObject): JsonObject {
  const { data: _data, stringData: _stringData, ...secret } = object;
  const { metadata } = secret;
  const annotations = member(metadata, 'annotations');
  if (!isObject(metadata) || !isObject(annotations)) return secret;
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  return { ...secret, metadata: { ...metadata, annotations: kept } };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function withoutResourceVersions(entries: JsonValue | undefined): JsonValue {
  if (!isArray(entries)) return entries ?? null;
  return entries.map((entry) => (isObject(entry) ? { ...entry, resourceVersion: '' } : entry));
}

/**
 * The part of a Binding that is compared: only if it differs, the Binding is sent again. KubeStellar writes the resourceVersion
 * of every workload object into the Binding. So each write of a status raises the generation of the Binding, and the transport
 * then records the new generation in the status of the Binding. These changes do not affect destinations and objects.
 */
function comparedBinding(binding: JsonObject): JsonObject {
  const compared = withoutMetadata(binding, 'resourceVersion', 'generation', 'managedFields');
  const spec = asObject(member(binding, 'spec'));
  const workload = asObject(member(spec, 'workload'));
  const scopes = Object.entries(workload).map(([scope, entries]): [string, JsonValue] => [
    scope,
    withoutResourceVersions(entries),
  ]);
  const status = asObject(member(binding, 'status'));
  return {
    ...compared,
    spec: { ...spec, workload: Object.fromEntries(scopes) },
    status: { ...status, observedGeneration: 0 },
  };
}

const BINDINGS: Resource = controlResource('bindings');

/** The resources that are reported whether or not a Binding names them. */
const ALWAYS: readonly Resource[] = [
  BINDINGS,
  controlResource('bindingpolicies'),
  controlResource('statuscollectors'),
  controlResource('combinedstatuses'),
];

const DEFINITIONS: Omit<Resource, 'version'> = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
};

function isOwned(object: JsonObject): boolean {
  const labels = at(object, 'metadata', 'labels');
  if (!isObject(labels)) return false;
  return Object.keys(labels).some((label) =>
    [MANAGED_BY_PREFIX, EXECUTING_COUNT_LABEL].some((own) => label.startsWith(own)),
  );
}

function isControl(resource: Resource): boolean {
  return ALWAYS.some((own) => groupResource(own) === groupResource(resource));
}

/**
 * The part of an object that is kept and reported. The generation of a workload object is left out if writing its status raises
 * it. Otherwise statuses would be translated to that generation, and each write would cause the next one, forever.
 */
function toldObject(resource: Resource, object: JsonObject): JsonObject {
  const open = groupResource(resource) === '/secrets' ? withoutSecretData(object) : object;
  return !isControl(resource) && hasStatusAsContent(object)
    ? withoutMetadata(open, 'managedFields', 'generation')
    : withoutMetadata(open, 'managedFields');
}

/** An object of a followed resource. */
interface SeenObject {
  /**
   * The reported part as text, which takes a fraction of the memory of a tree of values, or the whole object, if it is held
   * anyway.
   */
  readonly kept: string | JsonObject;
  /** The object contains data that Starfold wrote. */
  readonly owned: boolean;
}

function keptObject(resource: Resource, { kept }: SeenObject): JsonObject {
  // The text was written from an object.
  return typeof kept === 'string' ? (parseJson(kept) as JsonObject) : toldObject(resource, kept);
}

/** A workload object that a Binding names, or the definition of one. */
interface Named {
  readonly resource: Resource;
  /** The reflector's key: `<namespace>/<name>`. */
  readonly key: string;
}

type Identity = Omit<BoundObject, 'modulation'>;

/**
 * The CustomResourceDefinition that the collectors of an object are checked against (docs/architecture.md, section 9.15). It is
 * followed as if the Binding named it.
 */
function definitionOf({ modulation, ...object }: BoundObject): readonly Identity[] {
  if (modulation.statusCollectors.length === 0 || isBuiltInGroup(object.group)) return [];
  return [{ ...definitionName(object), version: 'v1' }];
}

/** The objects that a Binding names, and their definitions, each under a text of all fields that are used here. */
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

/**
 * A workload description space. The source reports KubeStellar's own objects, the workload objects that a Binding names or that
 * still contain data that Starfold wrote (docs/architecture.md, section 5, "The protocol", rule 4), and the
 * CustomResourceDefinitions that collectors are checked against. It reports every change of them, including changes of status
 * and labels: these events are the echo of the writes.
 */
export class WdsSource extends NamedSource {
  /** The resources that Bindings name. */
  readonly #names = new NamesByAge();
  /** The objects that each Binding names, by the reflector's key of the Binding. */
  readonly #namedBy = new Map<string, ReadonlyMap<string, Named>>();
  /** The number of Bindings that name an object, by digest key. */
  readonly #naming = new Map<string, number>();
  #areBindingsListed = false;
  readonly #isHeld: boolean;
  /** Every object of a followed resource, because a Binding may name it later. */
  readonly #seen = new Map<string, SeenObject>();

  constructor(deps: SourceDeps, name: string) {
    super(deps, { type: 'wds', name }, { always: ALWAYS });
    this.#isHeld = deps.objectsAreHeld;
  }

  protected reflect(resource: Resource, reflection: Reflection): void {
    if (reflection.type === 'synced') {
      // While the first Bindings arrive one by one, the names in later Bindings are not known.
      if (!isSameResource(resource, BINDINGS)) return;
      this.#areBindingsListed = true;
      this.named.change();
      return;
    }
    const key = digestKeyOf(resource, reflection.key);
    if (reflection.type === 'deleted') this.#seen.delete(key);
    else this.#seen.set(key, this.#seenObject(resource, reflection.object));
    this.#report(resource, reflection.key, reflection.type !== 'deleted' && reflection.relisted);
    if (isSameResource(resource, BINDINGS)) this.#rename(reflection);
    if (groupResource(resource) === groupResource(DEFINITIONS)) this.named.expect();
  }

  #seenObject(resource: Resource, object: JsonObject): SeenObject {
    const kept = this.#isHeld ? object : stringifyJson(toldObject(resource, object));
    return { kept, owned: isOwned(object) };
  }

  /** Sends the state of an object that exists, if it is to be reported. */
  #report(resource: Resource, key: string, again: boolean): void {
    const digestKey = digestKeyOf(resource, key);
    const seen = this.#seen.get(digestKey);
    const statement = { type: 'wds-object', subject: subjectOf(resource, key) } as const;
    if (seen === undefined || !this.#isToldOf(resource, digestKey, seen)) {
      this.digests.remove(digestKey, statement);
      return;
    }
    const object = keptObject(resource, seen);
    const compared = isSameResource(resource, BINDINGS) ? comparedBinding(object) : object;
    this.digests.upsert(digestKey, { ...statement, object }, { compared, again });
  }

  #isToldOf(resource: Resource, digestKey: string, seen: SeenObject): boolean {
    return isControl(resource) || this.#naming.has(digestKey) || seen.owned;
  }

  /** Handles a changed Binding, which may name other objects. */
  #rename(reflection: Exclude<Reflection, { type: 'synced' }>): void {
    const before = this.#namedBy.get(reflection.key) ?? new Map<string, Named>();
    const after =
      reflection.type === 'deleted' ? new Map<string, Named>() : namedIn(reflection.object);
    this.#note(reflection, after);
    const come = [...after].filter(([name]) => !before.has(name)).map(([, named]) => named);
    const gone = [...before].filter(([name]) => !after.has(name)).map(([, named]) => named);
    if (come.length + gone.length === 0) return;
    // Those that another Binding names as well are reported already.
    const first = come.filter((named) => this.#count(named, 1) === 1);
    const last = gone.filter((named) => this.#count(named, -1) === 0);
    this.named.change();
    for (const { resource, key } of [...last, ...first]) this.#report(resource, key, false);
  }

  #note(
    reflection: Exclude<Reflection, { type: 'synced' }>,
    named: ReadonlyMap<string, Named>,
  ): void {
    const { key } = reflection;
    if (reflection.type === 'deleted') {
      this.#namedBy.delete(key);
      this.#names.delete(key);
      return;
    }
    this.#namedBy.set(key, named);
    const resources = [...named.values()].map(({ resource }) => resource);
    this.#names.set(key, reflection.object, resources);
  }

  /** Returns how many Bindings name the object now. */
  #count({ resource, key }: Named, difference: 1 | -1): number {
    const digestKey = digestKeyOf(resource, key);
    const count = (this.#naming.get(digestKey) ?? 0) + difference;
    if (count === 0) this.#naming.delete(digestKey);
    else this.#naming.set(digestKey, count);
    return count;
  }

  /** The resources of owned and of named objects. */
  protected names(): readonly Resource[] | undefined {
    if (!this.#areBindingsListed) return undefined;
    const owned = new Set<string>();
    for (const [key, seen] of this.#seen)
      if (seen.owned) owned.add(key.slice(0, key.indexOf('/', key.indexOf('/') + 1)));
    const followed = this.reflectors.resources();
    return [
      ...followed.filter((resource) => owned.has(groupResource(resource))),
      ...this.#names.resources(),
    ];
  }
}
