import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import { isWithoutStatus } from '#shared/core/without-status.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from './backoff.ts';
import type { Reflection, ReflectorState } from './reflection.ts';
import { Reflector } from './reflector.ts';

/** The dependencies of following a cluster. */
export interface FollowDeps extends Waiting {
  readonly api: ResourceApi;
  /** Called when a listing has ended, or the state of a reflector has changed. */
  readonly onProgress: () => void;
}

interface Followed {
  readonly resource: Resource;
  readonly reflector: Reflector;
  readonly optional: boolean;
  readonly stopping: AbortController;
  /** Resolves when the first listing has ended or failed. */
  readonly tried: Promise<void>;
  readonly ended: Promise<void>;
}

/** The reflectors of a source, by group and resource. Reflectors are added and removed while the source runs. */
export class Reflectors {
  readonly #deps: FollowDeps;
  readonly #onReflection: (resource: Resource, reflection: Reflection) => void;
  readonly #followed = new Map<string, Followed>();
  /** Reflectors that were asked to stop, until they have stopped. */
  readonly #ending = new Set<Promise<void>>();

  constructor(
    deps: FollowDeps,
    onReflection: (resource: Resource, reflection: Reflection) => void,
  ) {
    this.#deps = deps;
    this.#onReflection = onReflection;
  }

  /** The resources that are followed. */
  resources(): readonly Resource[] {
    return [...this.#followed.values()].map(({ resource }) => resource);
  }

  /**
   * Follows a resource, if it is not followed yet. A kind without a status is listed after the present kinds with one: Bindings
   * may name a thousand ConfigMaps beside a Deployment, whose status must not wait for them. If the resource is followed in another version, it is followed in this
   * version from now on: its objects are the same.
   */
  follow(
    resource: Resource,
    how: { readonly selection?: Selection; readonly optional?: boolean } = {},
  ): void {
    const key = groupResource(resource);
    const before = this.#followed.get(key);
    if (before?.resource.version === resource.version) return;
    if (before !== undefined) this.#end(key, before);
    const { selection = {}, optional = false } = how;
    const { promise: tried, resolve: onTried } = Promise.withResolvers<void>();
    const reflector = new Reflector(this.#deps.api, this.#deps, {
      resource,
      selection,
      optional,
      known: before?.reflector.keys() ?? [],
      isOtherWatched: () => this.#isOtherWatched(key),
      onReflection: (reflection) => {
        // A reflector that has been asked to stop may still report.
        if (this.#followed.get(key)?.reflector !== reflector) return;
        this.#onReflection(resource, reflection);
        if (reflection.type === 'synced') this.#deps.onProgress();
      },
      onState: ({ phase }) => {
        if (phase !== 'listing') onTried();
        this.#deps.onProgress();
      },
    });
    const stopping = new AbortController();
    const ended = this.#turnOf(resource)
      .then(() => reflector.run(stopping.signal))
      .finally(onTried);
    this.#followed.set(key, { resource, reflector, optional, stopping, tried, ended });
  }

  #isOtherWatched(key: string): boolean {
    return [...this.#followed].some(
      ([other, { reflector }]) => other !== key && reflector.state.phase === 'watching',
    );
  }

  /** Resolves when a resource may be listed. */
  async #turnOf(resource: Resource): Promise<void> {
    if (!isWithoutStatus(resource)) return;
    const others = [...this.#followed.values()].filter((one) => !isWithoutStatus(one.resource));
    await Promise.all(others.map(({ tried }) => tried));
  }

  /** Stops following a resource. Its reported objects are reported as deleted. */
  unfollow(resource: Resource): void {
    const key = groupResource(resource);
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    this.#end(key, followed);
    for (const object of followed.reflector.keys())
      this.#onReflection(followed.resource, { type: 'deleted', key: object });
    this.#deps.onProgress();
  }

  #end(key: string, { stopping, ended }: Followed): void {
    stopping.abort();
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
    this.#followed.delete(key);
  }

  /** Lists one resource again, or all. */
  relist(resource?: Resource): void {
    const only = resource === undefined ? undefined : groupResource(resource);
    for (const [key, { reflector }] of this.#followed)
      if (only === undefined || only === key) reflector.relist();
  }

  /** Follows these resources and no others, each in the given version. */
  followExactly(
    resources: readonly Resource[],
    how: { readonly selection?: Selection; readonly optional?: boolean } = {},
  ): void {
    const wanted = new Map(resources.map((resource) => [groupResource(resource), resource]));
    for (const resource of this.resources())
      if (!wanted.has(groupResource(resource))) this.unfollow(resource);
    const { later = [], first = [] } = Object.groupBy(wanted.values(), (resource) =>
      isWithoutStatus(resource) ? 'later' : 'first',
    );
    for (const resource of [...first, ...later]) this.follow(resource, how);
  }

  /**
   * Whether each reflector has reported every object that exists.
   *
   * @param isOptional whether the state of a resource does not matter, unless objects of it are known to exist
   */
  synced(isOptional: (resource: Resource) => boolean = () => false): boolean {
    return [...this.#followed.values()].every(
      ({ resource, reflector }) =>
        reflector.state.synced || (isOptional(resource) && reflector.keys().length === 0),
    );
  }

  /** Whether a reflector of a resource that is not optional waits. */
  blind(): boolean {
    return [...this.#followed.values()].some(
      ({ reflector, optional }) => !optional && reflector.state.phase === 'waiting',
    );
  }

  /** The state of each reflector. */
  entries(): readonly (readonly [Resource, ReflectorState])[] {
    return [...this.#followed.values()].map(({ resource, reflector }) => [
      resource,
      reflector.state,
    ]);
  }

  /** Like {@link Reflectors.entries}, by name. */
  states(): ReadonlyMap<string, ReflectorState> {
    return new Map(this.entries().map(([resource, state]) => [resourceName(resource), state]));
  }

  /** Stops all reflectors. */
  async stop(): Promise<void> {
    const all = [...this.#followed.values()];
    for (const { stopping } of all) stopping.abort();
    await Promise.all([...all.map(({ ended }) => ended), ...this.#ending]);
  }
}
