import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from './backoff.ts';
import type { Reflection, ReflectorState } from './reflection.ts';
import { Reflector } from './reflector.ts';

/** What following a cluster needs of the world. */
export interface FollowDeps extends Waiting {
  readonly api: ResourceApi;
  /** A listing has ended, or something about a reflector has changed. */
  readonly onProgress: () => void;
}

interface Followed {
  readonly resource: Resource;
  readonly reflector: Reflector;
  readonly optional: boolean;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/** The reflectors of a source, by group and resource; they come and go while it runs. */
export class Reflectors {
  readonly #deps: FollowDeps;
  readonly #onReflection: (resource: Resource, reflection: Reflection) => void;
  readonly #followed = new Map<string, Followed>();
  /** Reflectors that were told to stop, until they have. */
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
   * Follows a resource, if it is not followed yet. One that is followed in another version is followed in this one from
   * now on: its objects are the same.
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
    const reflector = new Reflector(this.#deps.api, this.#deps, {
      resource,
      selection,
      optional,
      known: before?.reflector.keys() ?? [],
      onReflection: (reflection) => {
        // One that has been told to stop may still be in the middle of something.
        if (this.#followed.get(key)?.reflector !== reflector) return;
        this.#onReflection(resource, reflection);
        if (reflection.type === 'synced') this.#deps.onProgress();
      },
      onState: () => this.#deps.onProgress(),
    });
    const stopping = new AbortController();
    const ended = Promise.resolve().then(() => reflector.run(stopping.signal));
    this.#followed.set(key, { resource, reflector, optional, stopping, ended });
  }

  /** Ends following a resource: what it has told of is told to be deleted. */
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

  /** Lists one of them anew, or all. */
  relist(resource?: Resource): void {
    const only = resource === undefined ? undefined : groupResource(resource);
    for (const [key, { reflector }] of this.#followed)
      if (only === undefined || only === key) reflector.relist();
  }

  /** Follows these resources and no others, each in the version that is given. */
  followExactly(
    resources: readonly Resource[],
    how: { readonly selection?: Selection; readonly optional?: boolean } = {},
  ): void {
    const wanted = new Map(resources.map((resource) => [groupResource(resource), resource]));
    for (const resource of this.resources())
      if (!wanted.has(groupResource(resource))) this.unfollow(resource);
    for (const resource of wanted.values()) this.follow(resource, how);
  }

  /**
   * Whether each has told everything that stands.
   *
   * @param isOptional of which resources it does not matter, as long as nothing of them is known to stand
   */
  synced(isOptional: (resource: Resource) => boolean = () => false): boolean {
    return [...this.#followed.values()].every(
      ({ resource, reflector }) =>
        reflector.state.synced || (isOptional(resource) && reflector.keys().length === 0),
    );
  }

  /** Whether one that is not optional waits. */
  blind(): boolean {
    return [...this.#followed.values()].some(
      ({ reflector, optional }) => !optional && reflector.state.phase === 'waiting',
    );
  }

  /** The state of each. */
  entries(): readonly (readonly [Resource, ReflectorState])[] {
    return [...this.#followed.values()].map(({ resource, reflector }) => [
      resource,
      reflector.state,
    ]);
  }

  /** As {@link Reflectors.entries}, by name. */
  states(): ReadonlyMap<string, ReflectorState> {
    return new Map(this.entries().map(([resource, state]) => [resourceName(resource), state]));
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    const all = [...this.#followed.values()];
    for (const { stopping } of all) stopping.abort();
    await Promise.all([...all.map(({ ended }) => ended), ...this.#ending]);
  }
}
