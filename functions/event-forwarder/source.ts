import type { EventSubject } from '#shared/core/event.ts';
import { isObject, type JsonObject, member } from '#shared/core/json.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from './backoff.ts';
import type { Ledger } from './ledger.ts';
import { type Reflection, Reflector, type ReflectorState } from './reflector.ts';

/** What following a cluster needs of the world. */
export interface FollowDeps extends Waiting {
  readonly api: ResourceApi;
  /** A listing has ended, or something about a reflector has changed; `relist`: what was said before may be outdated. */
  readonly onProgress: (progress: { readonly relist: boolean }) => void;
}

/** What a source needs of the world. */
export interface SourceDeps extends FollowDeps {
  readonly ledger: Ledger;
}

/** Something that follows a cluster and keeps a ledger of what it says. */
export interface Source {
  /** Runs until the signal aborts; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the ledger holds everything that stands in the cluster. */
  complete(): boolean;
  /** The reflectors by `<resource>.<group>/<version>`. */
  states(): ReadonlyMap<string, ReflectorState>;
  /** Why the source as a whole waits, where it does. */
  error(): string | undefined;
}

/** `<group>/<resource>`: what a resource is called apart from its version. */
export function groupResource({ group, resource }: Omit<Resource, 'version'>): string {
  return `${group}/${resource}`;
}

/** `<resource>.<group>/<version>`: what a resource is called where a user reads it. */
export function versionedName({ group, version, resource }: Resource): string {
  return `${resource}${group === '' ? '' : `.${group}`}/${version}`;
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
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/** The reflectors of a source, by group and resource; they come and go while it runs. */
export class Reflectors {
  readonly #deps: FollowDeps;
  readonly #onReflection: (resource: Resource, reflection: Reflection) => void;
  readonly #followed = new Map<string, Followed>();

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

  /** Follows a resource, if it is not followed yet. */
  follow(resource: Resource, selection: Selection): void {
    const key = groupResource(resource);
    if (this.#followed.has(key)) return;
    const reflector = new Reflector(this.#deps.api, this.#deps, {
      resource,
      selection,
      onReflection: (reflection) => {
        // One that has been told to stop may still be in the middle of something.
        if (this.#followed.get(key)?.reflector !== reflector) return;
        this.#onReflection(resource, reflection);
        if (reflection.type === 'synced') this.#deps.onProgress(reflection);
      },
      onState: () => this.#deps.onProgress({ relist: false }),
    });
    const stopping = new AbortController();
    const ended = Promise.resolve().then(() => reflector.run(stopping.signal));
    this.#followed.set(key, { resource, reflector, stopping, ended });
  }

  /** Ends following a resource: what it has told of is told to be deleted. */
  unfollow(resource: Resource): void {
    const key = groupResource(resource);
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    followed.stopping.abort();
    this.#followed.delete(key);
    for (const object of followed.reflector.keys())
      this.#onReflection(followed.resource, { type: 'deleted', key: object });
    this.#deps.onProgress({ relist: false });
  }

  /** Whether each has told everything that stands. */
  synced(): boolean {
    return [...this.#followed.values()].every(({ reflector }) => reflector.state.synced);
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
    return new Map(this.entries().map(([resource, state]) => [versionedName(resource), state]));
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    const all = [...this.#followed.values()];
    for (const { stopping } of all) stopping.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }
}
