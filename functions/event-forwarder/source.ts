import type { EventSource, EventSubject } from '#shared/core/event.ts';
import { isObject, type JsonObject, member } from '#shared/core/json.ts';
import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from './backoff.ts';
import type { Ledger } from './ledger.ts';
import type { Reflection, ReflectorState } from './reflection.ts';
import { Reflector } from './reflector.ts';

/** What following a cluster needs of the world. */
export interface FollowDeps extends Waiting {
  readonly api: ResourceApi;
  /** A listing has ended, or something about a reflector has changed. */
  readonly onProgress: () => void;
}

/** What a source needs of the world. */
export interface SourceDeps extends FollowDeps {
  /** The ledger of a cluster; it is made when it is first asked for. */
  readonly ledgerOf: (source: EventSource) => Ledger;
  /** Whether everything that stands is being said again. */
  readonly isResyncing: () => boolean;
  /** A cluster has become alive. */
  readonly onAlive: (source: EventSource) => void;
}

/** Something that follows a cluster and keeps the ledgers of what it says. */
export interface Source {
  /** What it follows. */
  readonly reflectors: Reflectors;
  /** Runs until the signal aborts; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the ledgers hold everything that stands in the cluster. */
  complete(): boolean;
  /** The clusters that are known to be alive while this one answers. */
  alive(): readonly EventSource[];
  /** Why the source as a whole waits, where it does; absent: it never does. */
  error?(): string | undefined;
  /** What cannot be told, and what to do about it; at most a few. Absent: everything can. */
  problems?(): readonly string[];
}

/** The ledger's key of an object; `key` is the reflector's. */
export function ledgerKey(resource: Resource, key: string): string {
  return `${groupResource(resource)}/${key}`;
}

/** The subject of an object's event; `key` is the reflector's. */
export function subjectOf({ group, resource }: Resource, key: string): EventSubject {
  const slash = key.indexOf('/');
  return { group, resource, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The object without these fields of its metadata. */
export function withoutMetadata(object: JsonObject, ...fields: readonly string[]): JsonObject {
  const metadata = member(object, 'metadata');
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(
    ([field]) => !fields.includes(field),
  );
  return { ...object, metadata: Object.fromEntries(kept) };
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

  /** Whether each has told everything that stands. */
  synced(): boolean {
    return [...this.#followed.values()].every(({ reflector }) => reflector.state.synced);
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
