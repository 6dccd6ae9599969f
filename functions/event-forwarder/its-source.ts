import { untilAborted } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { availabilityOf, MANAGED_CLUSTERS } from '#shared/core/managed-cluster.ts';
import { compareTimes } from '#shared/core/status/time-order.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import { Problems } from './problems.ts';
import type { Source, SourceDeps } from './source.ts';
import { originOf, returnedStatus, WORK_STATUSES, type WorkStatusOrigin } from './work-status.ts';

/** WorkStatuses of an ITS. */
export interface ItsSelection {
  /** The WDS of WorkStatuses without a label that tells it; absent: these are not told of. */
  readonly wds?: string;
}

function isAvailable(cluster: JsonObject): boolean {
  return member(availabilityOf(cluster), 'status') === 'True';
}

type Origin = WorkStatusOrigin & { readonly wds: string };

/** What names an object of a WEC within the WEC's digests. */
function placeOf({ wds, subject }: Origin): string {
  const { group, resource, namespace, name } = subject;
  return `${wds} ${group}/${resource}/${namespace}/${name}`;
}

/** The WorkStatuses of one object of a WEC: two ManifestWorks with the same object have one each. */
interface Candidates {
  readonly origin: Origin;
  /** When each was updated, by the reflector's key. */
  readonly updated: Map<string, string>;
}

/** The one that was updated last speaks for the object. */
function speakerOf({ updated }: Candidates): string | undefined {
  const inOrder = [...updated].sort(
    ([a, at1], [b, at2]) => compareTimes(at1, at2) || (a < b ? -1 : 1),
  );
  return inOrder.at(-1)?.[0];
}

/**
 * An inventory and transport space of KubeStellar: what its status add-on reports of the objects in the WECs, so that
 * nothing of Starfold runs there (docs/architecture.md, section 7). It speaks for every WEC of which there is a
 * WorkStatus, and says of those that are alive that the hub takes for available.
 */
export class ItsSource implements Source {
  readonly #deps: SourceDeps;
  readonly #defaultWds: string | undefined;
  readonly reflectors: Reflectors;
  readonly #available = new Set<string>();
  /** By WEC and place. */
  readonly #candidates = new Map<string, Candidates>();
  /** By the reflector's key. */
  readonly #candidatesOf = new Map<string, Candidates>();
  /** Why a WorkStatus is not told of, by the reflector's key. */
  readonly #problems: Problems;

  constructor(deps: SourceDeps, { wds }: ItsSelection) {
    this.#deps = deps;
    this.#problems = new Problems('WorkStatuses', deps.onProgress);
    this.#defaultWds = wds;
    this.reflectors = new Reflectors(deps, (resource, reflection) => {
      if (reflection.type === 'synced') return;
      if (resource === WORK_STATUSES) this.#reflect(reflection);
      else this.#reflectCluster(reflection);
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.reflectors.follow(WORK_STATUSES);
    this.reflectors.follow(MANAGED_CLUSTERS);
    await untilAborted(signal);
    await this.reflectors.stop();
  }

  complete(): boolean {
    return this.reflectors.synced();
  }

  alive(): readonly EventSource[] {
    const clusters = this.reflectors.entries().find(([resource]) => resource === MANAGED_CLUSTERS);
    // A hub without ManagedClusters says of none that it is not available.
    const alive = clusters?.[1].unserved === true ? this.#reported() : this.#available;
    return [...alive].map((name) => ({ type: 'wec', name }));
  }

  problems(): readonly string[] {
    return this.#problems.shown();
  }

  /** The WECs of which there is a WorkStatus. */
  #reported(): ReadonlySet<string> {
    return new Set([...this.#candidates.values()].map(({ origin }) => origin.wec));
  }

  #reflectCluster(reflection: Exclude<Reflection, { type: 'synced' }>): void {
    const name = reflection.key.slice(reflection.key.indexOf('/') + 1);
    if (reflection.type === 'deleted') {
      this.#available.delete(name);
      return;
    }
    // Also of a WEC without any WorkStatus is to be said that this is all, whether or not it is available.
    const { source } = this.#deps.digestsOf({ type: 'wec', name });
    if (!isAvailable(reflection.object)) {
      this.#available.delete(name);
      return;
    }
    const isNew = !this.#available.has(name);
    this.#available.add(name);
    if (isNew) this.#deps.onAlive(source);
  }

  #reflect(reflection: Exclude<Reflection, { type: 'synced' }>): void {
    const { key } = reflection;
    const origin = reflection.type === 'deleted' ? undefined : this.#originOf(reflection);
    const before = this.#candidatesOf.get(key);
    if (before !== undefined && (origin === undefined || !this.#isOf(before, origin)))
      this.#leave(key, before);
    if (reflection.type === 'deleted') this.#problems.set(key, undefined);
    else if (origin !== undefined) this.#upsert(origin, reflection);
  }

  #originOf({ key, object }: { key: string; object: JsonObject }): Origin | undefined {
    const origin = originOf(object);
    const wds = typeof origin === 'string' ? undefined : (origin.wds ?? this.#defaultWds);
    if (typeof origin !== 'string' && wds !== undefined) {
      this.#problems.set(key, undefined);
      return { ...origin, wds };
    }
    const problem =
      typeof origin === 'string'
        ? origin
        : 'no label transport.kubestellar.io/originWdsName tells its WDS: set source.wds';
    this.#problems.set(key, `WorkStatus ${key}: ${problem}`);
    return undefined;
  }

  #isOf({ origin }: Candidates, other: Origin): boolean {
    return origin.wec === other.wec && placeOf(origin) === placeOf(other);
  }

  #upsert(
    origin: Origin,
    { key, object }: Extract<Reflection, { readonly object: JsonObject }>,
  ): void {
    const place = placeOf(origin);
    const all = `${origin.wec} ${place}`;
    const candidates = this.#candidates.get(all) ?? { origin, updated: new Map() };
    this.#candidates.set(all, candidates);
    this.#candidatesOf.set(key, candidates);
    const returned = returnedStatus(object);
    const before = speakerOf(candidates);
    candidates.updated.set(key, returned.lastUpdate ?? '');
    if (speakerOf(candidates) !== key) {
      if (before === key) this.#askOthers();
      return;
    }
    const { wds, subject } = origin;
    this.#deps
      .digestsOf({ type: 'wec', name: origin.wec })
      .upsert(
        place,
        { type: 'wec-object', wds, subject, returned },
        { compared: { ...returned }, again: this.#deps.isResyncing() },
      );
  }

  /** A WorkStatus no longer speaks of an object. */
  #leave(key: string, candidates: Candidates): void {
    const { origin, updated } = candidates;
    const wasSpeaker = speakerOf(candidates) === key;
    updated.delete(key);
    this.#candidatesOf.delete(key);
    if (updated.size > 0) {
      if (wasSpeaker) this.#askOthers();
      return;
    }
    const { wec, wds, subject } = origin;
    this.#candidates.delete(`${wec} ${placeOf(origin)}`);
    this.#deps
      .digestsOf({ type: 'wec', name: wec })
      .remove(placeOf(origin), { type: 'wec-object', wds, subject });
  }

  /** Another WorkStatus speaks for an object from now on: what it says was not kept. */
  #askOthers(): void {
    this.reflectors.relist(WORK_STATUSES);
  }
}
