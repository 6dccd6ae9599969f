import { untilAborted } from '#shared/concurrency.ts';
import { availabilityOf, MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import type { EventSource } from '#shared/core/event.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { compareTimes } from '#shared/core/status/time-order.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import { ManagedClusters } from './managed-clusters.ts';
import { NO_ORIGIN_LABEL, workStatusProblem } from './messages.ts';
import { Problems } from './problems.ts';
import type { Source, SourceDeps } from './source.ts';
import { originOf, returnedStatus, WORK_STATUSES, type WorkStatusOrigin } from './work-status.ts';

/** Selects the WorkStatuses of an ITS. */
export interface ItsSelection {
  /** The WDS of WorkStatuses without a label that names it. Absent: such WorkStatuses are not reported. */
  readonly wds?: string;
}

function isAvailable(cluster: JsonObject): boolean {
  return member(availabilityOf(cluster), 'status') === 'True';
}

type Origin = WorkStatusOrigin & { readonly wds: string };

/** The key of an object of a WEC within the digests of the WEC. */
function objectKeyOf({ wds, subject }: Origin): string {
  const { group, resource, namespace, name } = subject;
  return `${wds} ${group}/${resource}/${namespace}/${name}`;
}

/** The WorkStatuses of one object of a WEC. If two ManifestWorks contain the same object, each has a WorkStatus. */
interface Candidates {
  readonly origin: Origin;
  /** The update time of each WorkStatus, by the reflector's key. */
  readonly updated: Map<string, string>;
}

/** The WorkStatus that was updated last determines the report of the object. */
function speakerOf({ updated }: Candidates): string | undefined {
  const inOrder = [...updated].sort(
    ([a, at1], [b, at2]) => compareTimes(at1, at2) || (a < b ? -1 : 1),
  );
  return inOrder.at(-1)?.[0];
}

/**
 * An inventory and transport space of KubeStellar. The source reports what its status add-on records about the objects in the
 * WECs, so that no part of Starfold runs there (docs/architecture.md, section 7). It reports for every WEC that has a
 * WorkStatus, sends heartbeats for the WECs that the hub considers available, and reports the labels of all.
 */
export class ItsSource implements Source {
  readonly #deps: SourceDeps;
  readonly #defaultWds: string | undefined;
  readonly reflectors: Reflectors;
  readonly #available = new Set<string>();
  /** By WEC and key of the object. */
  readonly #candidates = new Map<string, Candidates>();
  /** By the reflector's key. */
  readonly #candidatesOf = new Map<string, Candidates>();
  /** The reasons why WorkStatuses are not reported, by the reflector's key. */
  readonly #problems: Problems;
  readonly #clusters: ManagedClusters;

  constructor(deps: SourceDeps, { wds }: ItsSelection) {
    this.#deps = deps;
    this.#problems = new Problems('WorkStatuses', deps.onProgress);
    this.#clusters = new ManagedClusters(deps);
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
    // A hub without ManagedClusters reports no WEC as unavailable.
    const alive = clusters?.[1].unserved === true ? this.#reported() : this.#available;
    return [...alive].map((name) => ({ type: 'wec', name }));
  }

  problems(): readonly string[] {
    return [...this.#problems.shown(), ...this.#clusters.problems()];
  }

  /** The WECs that have a WorkStatus. */
  #reported(): ReadonlySet<string> {
    return new Set([...this.#candidates.values()].map(({ origin }) => origin.wec));
  }

  #reflectCluster(reflection: Exclude<Reflection, { type: 'synced' }>): void {
    const name = reflection.key.slice(reflection.key.indexOf('/') + 1);
    if (reflection.type === 'deleted') {
      this.#available.delete(name);
      this.#clusters.remove(name);
      return;
    }
    this.#clusters.upsert(name, reflection.object);
    // The end of a snapshot is also sent for a WEC without any WorkStatus, whether or not it is available.
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
    const problem = typeof origin === 'string' ? origin : NO_ORIGIN_LABEL;
    this.#problems.set(key, workStatusProblem(key, problem));
    return undefined;
  }

  #isOf({ origin }: Candidates, other: Origin): boolean {
    return origin.wec === other.wec && objectKeyOf(origin) === objectKeyOf(other);
  }

  #upsert(
    origin: Origin,
    { key, object }: Extract<Reflection, { readonly object: JsonObject }>,
  ): void {
    const objectKey = objectKeyOf(origin);
    const all = `${origin.wec} ${objectKey}`;
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
        objectKey,
        { type: 'wec-object', wds, subject, returned },
        { compared: { ...returned }, again: this.#deps.isResyncing() },
      );
  }

  /** A WorkStatus no longer describes an object. */
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
    this.#candidates.delete(`${wec} ${objectKeyOf(origin)}`);
    this.#deps
      .digestsOf({ type: 'wec', name: wec })
      .remove(objectKeyOf(origin), { type: 'wec-object', wds, subject });
  }

  /**
   * Another WorkStatus determines the report of an object from now on. Its content was not kept, so WorkStatuses are listed
   * again.
   */
  #askOthers(): void {
    this.reflectors.relist(WORK_STATUSES);
  }
}
