import { at, type JsonObject } from '#shared/core/json.ts';
import { ApiNotFoundError, ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import type {
  Discovery,
  ObjectList,
  Resource,
  ResourceApi,
  ResourceInfo,
  Selection,
  WatchEvent,
} from '#shared/ports/kubernetes-api.ts';

interface Change {
  readonly revision: number;
  readonly resource: string;
  readonly event: Extract<WatchEvent, { readonly object: JsonObject }>;
}

interface Watcher {
  readonly resource: string;
  readonly onEvent: (event: WatchEvent) => void;
  readonly end: (error?: Error) => void;
}

function nameOf({ group, resource }: Omit<Resource, 'version'>): string {
  return `${group}/${resource}`;
}

function keyOf(object: JsonObject): string {
  return `${String(at(object, 'metadata', 'namespace') ?? '')}/${String(at(object, 'metadata', 'name'))}`;
}

/** What a reader of this selection is shown of an object. */
function shown(object: JsonObject, { metadataOnly, reduce }: Selection): JsonObject {
  const { metadata = {} } = object;
  const sent =
    metadataOnly === true
      ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }
      : object;
  return reduce === undefined ? sent : reduce(sent);
}

/** A cluster in memory behind the port for reading whole resources, whose connections a test can break. */
export class FakeCluster implements ResourceApi {
  readonly #objects = new Map<string, Map<string, JsonObject>>();
  readonly #served = new Map<string, ResourceInfo>();
  #history: Change[] = [];
  #watchers = new Set<Watcher>();
  #revision = 100;
  #oldest = 0;
  readonly #refused = new Map<string, Error>();
  /** While set, every call throws it. */
  failure: Error | undefined;
  /** Groups of which an aggregated API server does not answer discovery. */
  readonly unanswered = new Set<string>();
  /** Calls so far, by verb and resource: `list apps/deployments`. */
  readonly calls: string[] = [];

  /** Every list and watch of a resource throws this from now on, what is under way too; `undefined`: no longer. */
  refuse(resource: Resource, error: Error | undefined): void {
    if (error === undefined) this.#refused.delete(nameOf(resource));
    else {
      this.#refused.set(nameOf(resource), error);
      this.disconnect(error, resource);
    }
  }

  /** Makes the cluster serve a resource. */
  serve(info: ResourceInfo): void {
    this.#served.set(nameOf(info), info);
    this.#objects.set(nameOf(info), this.#objects.get(nameOf(info)) ?? new Map());
  }

  /** Ends serving a resource: its objects are gone without a word, its watches break. */
  unserve(resource: Resource): void {
    this.#served.delete(nameOf(resource));
    this.#objects.delete(nameOf(resource));
    for (const watcher of this.#watchers)
      if (watcher.resource === nameOf(resource))
        watcher.end(new ApiUnavailableError('watch', 'gone'));
  }

  /** The objects that stand, by `<namespace>/<name>`. */
  objects(resource: Resource): ReadonlyMap<string, JsonObject> {
    return this.#objects.get(nameOf(resource)) ?? new Map();
  }

  /** Creates or changes an object; its resourceVersion is the cluster's affair. */
  put(resource: Resource, object: JsonObject): void {
    const objects = this.#objects.get(nameOf(resource));
    if (objects === undefined) throw new Error(`${nameOf(resource)} is not served`);
    const type = objects.has(keyOf(object)) ? 'MODIFIED' : 'ADDED';
    const stored = this.#stamped(object);
    objects.set(keyOf(object), stored);
    this.#tell(resource, { type, object: stored });
  }

  /** Deletes an object, if it is there. */
  remove(resource: Resource, key: string): void {
    const objects = this.#objects.get(nameOf(resource));
    const object = objects?.get(key);
    if (object === undefined) return;
    objects?.delete(key);
    this.#tell(resource, { type: 'DELETED', object: this.#stamped(object) });
  }

  /** Forgets the history: watches from older versions than now are too old. */
  compact(): void {
    this.#oldest = this.#revision;
    this.#history = [];
  }

  /** Tells every watcher how far it is. */
  bookmark(): void {
    for (const watcher of this.#watchers)
      watcher.onEvent({ type: 'BOOKMARK', resourceVersion: String(this.#revision) });
  }

  /** The watches that are open, by resource: `apps/deployments`. */
  watching(): readonly string[] {
    return [...this.#watchers].map(({ resource }) => resource).sort();
  }

  /** Ends all watches, or those of one resource, normally or with an error. */
  disconnect(error?: Error, resource?: Resource): void {
    for (const watcher of this.#watchers)
      if (resource === undefined || watcher.resource === nameOf(resource)) watcher.end(error);
  }

  async discover(): Promise<Discovery> {
    this.#called('discover');
    return { resources: [...this.#served.values()], unanswered: [...this.unanswered] };
  }

  async list(resource: Resource, selection: Selection): Promise<ObjectList> {
    this.#called(`list ${nameOf(resource)}`, resource);
    const objects = this.#serves(resource) ? this.#objects.get(nameOf(resource)) : undefined;
    if (objects === undefined) throw new ApiNotFoundError(`list ${nameOf(resource)}`, 'not served');
    const items = [...objects.values()].map((object) => shown(object, selection));
    return { resourceVersion: String(this.#revision), items };
  }

  async watch(
    resource: Resource,
    options: Parameters<ResourceApi['watch']>[1],
    signal?: AbortSignal,
  ): Promise<void> {
    this.#called(`watch ${nameOf(resource)}`, resource);
    const from = Number(options.resourceVersion);
    if (from < this.#oldest) throw new ResourceExpiredError(`watch ${nameOf(resource)}`);
    if (!this.#serves(resource))
      throw new ApiNotFoundError(`watch ${nameOf(resource)}`, 'not served');
    options.onOpen?.();
    const onEvent = (event: WatchEvent): void =>
      options.onEvent(
        event.type === 'BOOKMARK' ? event : { ...event, object: shown(event.object, options) },
      );
    for (const change of this.#history)
      if (change.revision > from && change.resource === nameOf(resource)) onEvent(change.event);
    if (signal?.aborted) return;
    await new Promise<void>((resolve, reject) => {
      const watcher: Watcher = {
        resource: nameOf(resource),
        onEvent,
        end: (error) => {
          this.#watchers.delete(watcher);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#watchers.add(watcher);
      signal?.addEventListener('abort', () => watcher.end(), { once: true });
    });
  }

  #serves(resource: Resource): boolean {
    const info = this.#served.get(nameOf(resource));
    return [info?.version, ...(info?.otherVersions ?? [])].includes(resource.version);
  }

  #called(call: string, resource?: Resource): void {
    this.calls.push(call);
    const failure =
      this.failure ?? (resource === undefined ? undefined : this.#refused.get(nameOf(resource)));
    if (failure !== undefined) throw failure;
  }

  #stamped(object: JsonObject): JsonObject {
    this.#revision += 1;
    const metadata = at(object, 'metadata') as JsonObject; // Tests write objects with metadata.
    return { ...object, metadata: { ...metadata, resourceVersion: String(this.#revision) } };
  }

  #tell(resource: Resource, change: Pick<Change['event'], 'type' | 'object'>): void {
    const event = { ...change, resourceVersion: String(this.#revision) };
    this.#history.push({ revision: this.#revision, resource: nameOf(resource), event });
    for (const watcher of this.#watchers)
      if (watcher.resource === nameOf(resource)) watcher.onEvent(event);
  }
}
