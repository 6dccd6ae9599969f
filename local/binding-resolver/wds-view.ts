import { contentHash } from '#shared/content-hash.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { type BindingPolicy, parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import type { BindingResolver } from '#shared/core/binding/binding-resolver.ts';
import { type DownsyncObjectRef, downsyncObject } from '#shared/core/binding/downsync-object.ts';
import { isDownsyncable } from '#shared/core/binding/excluded-resources.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { at, isArray, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { controlResource, POLICY_FINALIZER } from '#shared/core/kubestellar.ts';
import { withoutMetadata, workloadContent } from '#shared/core/metadata.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import { objectKey } from '#shared/core/workload.ts';
import type { Resource, ResourceInfo } from '#shared/ports/kubernetes-api.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { type FollowDeps, Reflectors } from '#shared/watch/reflectors.ts';
import { isOfPolicy } from './binding-write.ts';
import { type FollowingProblem, problemsOf, unservedOf } from './following-problem.ts';
import { onlyForPolicies, problemsText } from './messages.ts';

const POLICIES: Resource = controlResource('bindingpolicies');
const BINDINGS: Resource = controlResource('bindings');
const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };
/** If a WDS does not serve these, nothing is known about it. */
const REQUIRED = [POLICIES, BINDINGS, NAMESPACES];
const REQUIRED_NAMES = new Set(REQUIRED.map(groupResource));

function isRequired(resource: Resource): boolean {
  return REQUIRED_NAMES.has(groupResource(resource));
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/**
 * Identifies the content of an object without its status, because writing the status increases the generation of some
 * kinds.
 */
function contentKeyOf(object: JsonObject): string {
  return contentHash(stringifyJson(workloadContent(withoutMetadata(object, 'generation'))));
}

function isKubeStellars(policy: JsonObject): boolean {
  const finalizers = at(policy, 'metadata', 'finalizers');
  return isArray(finalizers) && finalizers.includes(POLICY_FINALIZER);
}

/** Whether a clause of a policy may select objects of a resource. */
function mayMean({ clauses }: BindingPolicy, { group, resource }: Resource): boolean {
  return clauses.some(({ test: { exact } }) => {
    const isGroup = exact.group?.has(group) ?? true;
    return isGroup && (exact.resource?.has(resource) ?? true);
  });
}

/** Some policies, and why their Bindings wait. */
interface WaitingPolicies {
  readonly names: ReadonlySet<string>;
  /** Names the resources that are not known. Undefined if no policy waits. */
  readonly why: string | undefined;
}

const NONE: ReadonlySet<string> = new Set();

/** The resources of the objects that a Binding names. */
function resourcesOf(binding: JsonObject): readonly Resource[] {
  const resources = parseBinding(binding).objects.map(
    ({ group, version, resource }): [string, Resource] => [
      groupResource({ group, resource }),
      { group, version, resource },
    ],
  );
  return [...new Map(resources).values()];
}

/**
 * What the resolution needs of a WDS: its BindingPolicies, the objects that they may select, and its present Bindings.
 * Passes every change to a {@link BindingResolver}.
 */
export class WdsView {
  /** The present Bindings, by name. */
  readonly bindings = new Map<string, JsonObject>();
  /** Policies that KubeStellar's own controller manages. That controller writes their Bindings. */
  readonly kubeStellars = new Set<string>();
  readonly #resolver: BindingResolver;
  readonly #reflectors: Reflectors;
  readonly #onBinding: (name: string) => void;
  readonly #onObject: () => void;
  readonly #policies = new Map<string, BindingPolicy>();
  /** An identifier of the content of each object, by the key of the object. */
  readonly #contents = new Map<string, string>();
  /** The resources that each Binding of a policy names. */
  readonly #bound = new Map<string, readonly Resource[]>();
  #served: readonly ResourceInfo[] = [];
  /** Whether the set of followed resources may have to change. */
  #isOutdated = false;

  /** @param onBinding is called when a Binding needs a check */
  constructor(deps: FollowDeps, resolver: BindingResolver, onBinding: (name: string) => void) {
    this.#resolver = resolver;
    this.#onBinding = onBinding;
    this.#onObject = () => deps.onProgress();
    this.#reflectors = new Reflectors(deps, (resource, reflection) =>
      this.#reflect(resource, reflection),
    );
    for (const resource of REQUIRED) this.#reflectors.follow(resource);
  }

  /** Sets the resources that the WDS serves now. */
  serve(resources: readonly ResourceInfo[]): void {
    this.#served = resources;
    this.#isOutdated = true;
  }

  /** Follows the resources that policies may select now. The next query includes them. */
  refresh(): void {
    if (this.#isOutdated) this.#follow();
    this.#isOutdated = false;
  }

  /** Why nothing of the WDS is known, or `undefined` if what all Bindings need is known. */
  problem(): string | undefined {
    return this.#problems().find(({ resource }) => isRequired(resource))?.problem;
  }

  /**
   * The policies whose Bindings must wait, because the policies may select objects of a resource that is not known. An unknown object
   * must not count as absent.
   */
  waiting(): WaitingPolicies {
    const all = this.#problems();
    if (all.length === 0) return { names: NONE, why: undefined };
    // Nothing waits for what only policies that are left to KubeStellar may select.
    const own = [...this.#policies].filter(([name]) => !this.kubeStellars.has(name));
    const unknown = all.filter(({ resource }) => own.some(([, one]) => mayMean(one, resource)));
    if (unknown.length === 0) return { names: NONE, why: undefined };
    const names = own
      .filter(([, policy]) => unknown.some(({ resource }) => mayMean(policy, resource)))
      .map(([name]) => name)
      .sort();
    const problems = unknown.map(({ problem }) => problem);
    const why =
      names.length === own.length ? problemsText(problems) : onlyForPolicies(problems, names);
    return { names: new Set(names), why };
  }

  /** Whether {@link waiting} has a policy now. */
  delays(name: string): boolean {
    const policy = this.kubeStellars.has(name) ? undefined : this.#policies.get(name);
    return (
      policy !== undefined && this.#problems().some(({ resource }) => mayMean(policy, resource))
    );
  }

  #problems(): readonly FollowingProblem[] {
    return problemsOf(this.#reflectors, isRequired);
  }

  /** The resources that policies may select and that the WDS does not serve, as `<group>/<resource>`. */
  unserved(): readonly string[] {
    return unservedOf(this.#reflectors);
  }

  /** Identifies the content of some objects. The result changes if the content of one of them changes. */
  contentOf(objects: readonly DownsyncObjectRef[]): string {
    const keys = objects.map(objectKey);
    return contentHash(JSON.stringify(keys.map((key) => [key, this.#contents.get(key) ?? ''])));
  }

  async stop(): Promise<void> {
    await this.#reflectors.stop();
  }

  #reflect(resource: Resource, reflection: Reflection): void {
    if (reflection.type === 'synced') return;
    const object = reflection.type === 'deleted' ? undefined : reflection.object;
    if (resource === POLICIES) this.#setPolicy(nameOf(reflection.key), object);
    else if (resource === BINDINGS) this.#setBinding(nameOf(reflection.key), object);
    else this.#setObject(resource, reflection.key, object);
  }

  #setPolicy(name: string, object: JsonObject | undefined): void {
    if (object !== undefined && isKubeStellars(object)) this.kubeStellars.add(name);
    else this.kubeStellars.delete(name);
    if (object === undefined || isDeleting(object)) {
      this.#policies.delete(name);
      this.#resolver.removePolicy(name);
    } else {
      const policy = parseBindingPolicy(object);
      this.#policies.set(name, policy);
      this.#resolver.setPolicy(policy);
    }
    this.#isOutdated = true;
    // The owner of the Binding may have changed while its content has not.
    this.#onBinding(name);
  }

  #setBinding(name: string, object: JsonObject | undefined): void {
    if (object === undefined) this.bindings.delete(name);
    else this.bindings.set(name, object);
    if (object !== undefined && isOfPolicy(object)) this.#bound.set(name, resourcesOf(object));
    else this.#bound.delete(name);
    this.#isOutdated = true;
    this.#onBinding(name);
  }

  #setObject(resource: Resource, key: string, object: JsonObject | undefined): void {
    const { group, resource: plural } = resource;
    const namespace = key.slice(0, key.indexOf('/'));
    const ref = { group, resource: plural, namespace, name: nameOf(key) };
    if (object === undefined) {
      this.#contents.delete(objectKey(ref));
      this.#resolver.removeObject(ref);
    } else {
      const content = contentKeyOf(object);
      this.#contents.set(objectKey(ref), content);
      this.#resolver.setObject(downsyncObject(resource, object, content));
    }
    this.#onObject();
  }

  /**
   * Follows exactly the resources that policies may select. A resource that discovery does not list may belong to an
   * aggregated API server that is down. Therefore, a resource that Bindings name or that is already followed counts as
   * gone only if its own address reports so.
   */
  #follow(): void {
    const policies = [...this.#policies.values()];
    const followed = this.#reflectors.resources();
    const known = [...this.#bound.values(), followed, this.#served].flat();
    const wanted = new Map<string, Resource>(
      [...new Map(known.map((resource) => [groupResource(resource), resource]))]
        .filter(([, { group, resource }]) => isDownsyncable(group, resource))
        .filter(([, resource]) => policies.some((policy) => mayMean(policy, resource))),
    );
    for (const resource of REQUIRED) wanted.set(groupResource(resource), resource);
    for (const resource of followed) {
      const kept = wanted.get(groupResource(resource));
      if (kept?.version !== resource.version) this.#reflectors.unfollow(resource);
    }
    for (const { group, version, resource } of wanted.values())
      this.#reflectors.follow({ group, version, resource });
  }
}
