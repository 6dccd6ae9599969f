import { type BoundObject, parseBinding } from '#shared/core/binding/binding.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { controlResource } from '#shared/core/kubestellar.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import { Reflector } from '#shared/watch/reflector.ts';
import { nextSight, type Sight } from './sight.ts';

/** The objects of one resource in one cluster, by `<namespace>/<name>`. */
type Objects = ReadonlyMap<string, JsonObject>;

/** The objects in the clusters, read in addition to the pipeline, as a user of `kubectl` would see them. */
export interface ClusterObjects {
  /** `''` if there is no WDS. */
  readonly wds: string;
  /** The WECs that are read. The others report by HTTP, or not at all. */
  readonly wecs: readonly string[];
  objects(cluster: string, resource: Omit<Resource, 'version'>): Objects;
  /** How well the objects of a resource in a cluster are seen. */
  sight(cluster: string, resource: Omit<Resource, 'version'>): Sight;
}

/** One change in one cluster. */
export interface ObservedChange {
  readonly cluster: string;
  readonly resource: Resource;
  /** `<namespace>/<name>` */
  readonly key: string;
}

/** A cluster that is read. */
interface ReadCluster {
  readonly name: string;
  readonly api: ResourceApi;
}

export interface ObservationOptions extends Waiting {
  readonly wds?: ReadCluster;
  readonly wecs: readonly ReadCluster[];
  /** Selects the objects of the WECs. */
  readonly selection: Selection;
  readonly onChange: (change: ObservedChange) => void;
  /** Called when a cluster has become unreachable, or answers again. */
  readonly onSight: () => void;
  readonly clock: () => Date;
}

/** KubeStellar's resources in a WDS. */
export const CONTROL = {
  bindings: controlResource('bindings'),
  collectors: controlResource('statuscollectors'),
  combinedStatuses: controlResource('combinedstatuses'),
} as const;

const NONE: Objects = new Map();

function slotOf(cluster: string, { group, resource }: Omit<Resource, 'version'>): string {
  return `${cluster} ${group}/${resource}`;
}

/** Follows, in the WDS and in every WEC, what the Bindings of the WDS name. */
export class Observation implements ClusterObjects {
  readonly #options: ObservationOptions;
  readonly #stopping = new AbortController();
  readonly #slots = new Map<string, Map<string, JsonObject>>();
  readonly #sights = new Map<string, Sight>();
  readonly #running: Promise<void>[] = [];
  #silentSince: ReadonlyMap<string, string> = new Map();

  constructor(options: ObservationOptions) {
    this.#options = options;
    const { wds } = options;
    if (wds === undefined) return;
    for (const resource of Object.values(CONTROL)) this.#follow(wds, resource, {});
  }

  get wds(): string {
    return this.#options.wds?.name ?? '';
  }

  get wecs(): readonly string[] {
    return this.#options.wecs.map(({ name }) => name);
  }

  objects(cluster: string, resource: Omit<Resource, 'version'>): Objects {
    return this.#slots.get(slotOf(cluster, resource)) ?? NONE;
  }

  sight(cluster: string, resource: Omit<Resource, 'version'>): Sight {
    return this.#sights.get(slotOf(cluster, resource)) ?? this.#unfollowed(cluster);
  }

  /** Takes note of when each silent WEC was last heard (RFC 3339), by WEC. */
  silent(since: ReadonlyMap<string, string>): void {
    const before = this.#silentSince;
    this.#silentSince = since;
    const isSame =
      since.size === before.size && [...since].every(([wec, time]) => before.get(wec) === time);
    if (!isSame) this.#options.onSight();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #follow(cluster: ReadCluster, resource: Resource, selection: Selection): void {
    const slot = slotOf(cluster.name, resource);
    if (this.#slots.has(slot)) return;
    const objects = new Map<string, JsonObject>();
    this.#slots.set(slot, objects);
    const reflector = new Reflector(cluster.api, this.#options, {
      resource,
      selection,
      onState: (state) => this.#look(slot, state),
      onReflection: (reflection) => {
        if (reflection.type === 'synced') return;
        const { key } = reflection;
        if (reflection.type === 'deleted') objects.delete(key);
        else objects.set(key, reflection.object);
        if (resource === CONTROL.bindings && reflection.type !== 'deleted')
          this.#followBound(parseBinding(reflection.object).objects);
        this.#options.onChange({ cluster: cluster.name, resource, key });
      },
    });
    this.#running.push(reflector.run(this.#stopping.signal));
  }

  /** No known Binding has named the resource. */
  #unfollowed(cluster: string): Sight {
    const isRead = cluster === this.wds || this.wecs.includes(cluster);
    if (isRead) return { state: 'asked' };
    const silentSince = this.#silentSince.get(cluster);
    return { state: 'elsewhere', ...(silentSince === undefined ? {} : { silentSince }) };
  }

  #look(slot: string, state: ReflectorState): void {
    const before = this.#sights.get(slot) ?? { state: 'asked' };
    const now = nextSight(before, state, this.#options.clock().toISOString());
    this.#sights.set(slot, now);
    if (now.state !== before.state) this.#options.onSight();
  }

  #followBound(bound: readonly BoundObject[]): void {
    const { wds, wecs, selection } = this.#options;
    for (const { group, version, resource } of bound) {
      if (wds !== undefined) this.#follow(wds, { group, version, resource }, {});
      for (const wec of wecs) this.#follow(wec, { group, version, resource }, selection);
    }
  }
}
