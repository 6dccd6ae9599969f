import { selectableWorkload } from '#shared/core/explanation/selectable-explanation.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import type { Labels } from '#shared/core/labels.ts';
import { selectableWec, selectableWecStatus } from '#shared/core/status-api/selectable.ts';
import {
  EVERYTHING,
  type Selectable,
  type StatusSelector,
  selects,
} from '#shared/core/status-api/selector.ts';
import {
  type GroupResource,
  resourceText,
  type WecStatusRef,
  type WorkloadName,
  wecStatusName,
  workloadText,
} from '#shared/core/status-api/status-name.ts';
import type { QueriedRow } from '#shared/core/status-api/status-query.ts';
import type { BoundWorkload, Wec, WecStatus } from '#shared/core/status-api/wec-status.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type {
  Changed,
  Changes,
  PageRequest,
  RowsBatch,
  RowsRequest,
  Scope,
  ScopedPageRequest,
  StatusPage,
  StatusSource,
  WorkloadState,
  WorkloadsRequest,
} from '#shared/ports/status-source.ts';
import { type ResultState, workloadStateOf } from './workload-state.ts';

const APPLIED: ResultState = { applied: { upToDate: true }, refused: [] };

type Change = Changed extends infer C ? (C extends Changed ? Omit<C, 'revision'> : never) : never;

function isIn(scope: Scope, { namespace }: WorkloadName): boolean {
  if (scope === 'cluster') return namespace === '';
  return scope === 'all-namespaces' ? namespace !== '' : namespace === scope.namespace;
}

/** A sort key: NUL is less than every character of names. */
function keyOf(namespace: string, name: string): string {
  return `${namespace}\0${name}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function pageOf<T>(
  all: ReadonlyMap<string, T>,
  { limit, after }: PageRequest,
  isWanted: (item: T) => boolean,
): StatusPage<T> {
  if (after !== undefined && !after.includes('\0')) throw new InvalidContinuationError();
  const keys = [...all.keys()].sort(compare).filter((key) => after === undefined || key > after);
  const items: T[] = [];
  for (const key of keys) {
    // Every key is in the map.
    const item = all.get(key) as T;
    if (!isWanted(item)) continue;
    items.push(item);
    const isLast = key === keys.at(-1);
    if (items.length === limit) return isLast ? { items } : { items, next: key };
  }
  return { items };
}

const FAKE_BATCH = 3;

/** What is known of a row besides what its WEC reports. */
interface RowContext {
  readonly position: string;
  readonly labels: Labels;
  /** Parts of the object in the WDS. */
  readonly described: JsonObject;
}

function standingOf({ state, lastUpdate, lastContact, generation }: WecStatus) {
  return {
    ...(lastUpdate === undefined ? {} : { lastReturnedUpdateTimestamp: lastUpdate }),
    ...(state === 'Silent' && lastContact !== undefined ? { lastContact } : {}),
    ...(generation.source === undefined ? {} : { generation: generation.source }),
    stale: state !== 'Reported',
    silent: state === 'Silent',
  };
}

function queriedRow(
  one: WecStatus,
  { position, labels, described: { metadata, ...described } }: RowContext,
): QueriedRow {
  const { workload, kind, wec, status } = one;
  const { namespace, name } = workload;
  const activation = {
    inventory: { name: wec, labels },
    obj: {
      kind,
      metadata: { namespace, name, ...(isObject(metadata) ? metadata : {}) },
      ...described,
    },
    returned: isObject(status) ? status : {},
    propagation: standingOf(one),
  };
  return { workload, kind, row: { wec, activation }, bytes: jsonBytes(status ?? null), position };
}

/** The statuses of a WDS in memory. */
export class FakeStatusSource implements StatusSource {
  readonly #statuses = new Map<string, WecStatus>();
  readonly #wecs = new Map<string, Wec>();
  readonly #uncounted = new Set<string>();
  readonly #objects = new Map<string, JsonObject>();
  readonly #results = new Map<string, ResultState>();
  readonly #listeners = new Set<() => void>();
  #journal: Changed[] = [];
  #revision = 1_000;
  /** Changes up to this revision are forgotten. */
  #floor = 1_000;
  /** If set, every read fails with it. */
  failure: Error | undefined;
  /** The calls so far, by method. */
  readonly calls: string[] = [];
  /** The names of the objects that were read, one by one or in pages. */
  readonly reads: string[] = [];

  #note(change: Change): void {
    this.#revision += 1;
    // The parts of a union stay together.
    this.#journal.push({ ...change, revision: this.#revision } as Changed);
    for (const listener of this.#listeners) listener();
  }

  /** Adds or replaces what a WEC reports. */
  put(status: WecStatus): void {
    this.#statuses.set(keyOf(status.workload.namespace, wecStatusName(status)), status);
    const { workload, wec } = status;
    this.#note({ type: 'wec-status', ref: { workload, wec } });
  }

  /** Changes what Bindings send: only these WECs are destinations of a workload object. */
  bind(workload: WorkloadName, statuses: readonly WecStatus[]): void {
    for (const [key, status] of this.#statuses)
      if (
        keyOf(workload.namespace, workloadText(workload)) ===
        keyOf(status.workload.namespace, workloadText(status.workload))
      )
        this.#statuses.delete(key);
    for (const status of statuses)
      this.#statuses.set(keyOf(workload.namespace, wecStatusName(status)), status);
    this.#note({ type: 'workload', workload });
  }

  /** What queries see of a workload object in the WDS, besides its name. */
  describe(workload: WorkloadName, parts: JsonObject): void {
    this.#objects.set(keyOf(workload.namespace, workloadText(workload)), parts);
  }

  /** Adds or replaces what a WEC reports. A list by its health or state does not find it before the result has changed. */
  putUncounted(status: WecStatus): void {
    this.#uncounted.add(wecStatusName(status));
    this.put(status);
  }

  /** The result of a workload object has changed. */
  settle(workload: WorkloadName, result: ResultState = APPLIED): void {
    this.#uncounted.clear();
    this.#results.set(keyOf(workload.namespace, workloadText(workload)), result);
    this.#note({ type: 'result', workload });
  }

  /** Adds or replaces a WEC, and what it reports. */
  putWec(wec: Wec, change: (status: WecStatus) => WecStatus = (status) => status): void {
    this.#wecs.set(keyOf('', wec.name), wec);
    for (const [key, status] of this.#statuses)
      if (status.wec === wec.name) this.#statuses.set(key, change(status));
    this.#note({ type: 'wec', wec: wec.name });
  }

  removeWec(name: string): void {
    this.#wecs.delete(keyOf('', name));
    this.#note({ type: 'wec', wec: name });
  }

  /** Forgets all changes so far. */
  forget(): void {
    this.#floor = this.#revision;
    this.#journal = [];
  }

  /** How many have subscribed. */
  get subscribers(): number {
    return this.#listeners.size;
  }

  #called(method: string): void {
    this.calls.push(method);
    if (this.failure !== undefined) throw this.failure;
  }

  async wecStatus(ref: WecStatusRef): Promise<WecStatus | undefined> {
    this.#called('wecStatus');
    const name = wecStatusName(ref);
    this.reads.push(name);
    return this.#statuses.get(keyOf(ref.workload.namespace, name));
  }

  async wecStatuses({
    scope,
    selector,
    readable,
    ...page
  }: ScopedPageRequest & { readonly selector: StatusSelector }): Promise<StatusPage<WecStatus>> {
    this.#called('wecStatuses');
    const isByCensus = selector.fields.some(({ field }) => field === 'health' || field === 'state');
    const isWanted = (status: WecStatus): boolean =>
      !(isByCensus && this.#uncounted.has(wecStatusName(status))) &&
      isIn(scope, status.workload) &&
      readable(status.workload) &&
      selects(selector, selectableWecStatus(status));
    const found = pageOf(this.#statuses, page, isWanted);
    this.reads.push(...found.items.map(wecStatusName));
    return found;
  }

  async *rows({ scope, workloads, after = '', readable }: RowsRequest): AsyncGenerator<RowsBatch> {
    this.#called('rows');
    if (after !== '' && !after.includes('\0')) throw new InvalidContinuationError();
    const keys = [...this.#statuses.keys()].sort(compare).filter((key) => key > after);
    const found = keys.flatMap((key) => {
      // Every key is in the map.
      const status = this.#statuses.get(key) as WecStatus;
      const { workload, ownLabels } = status;
      const isWanted =
        isIn(scope, workload) &&
        readable(workload) &&
        (['group', 'resource', 'name'] as const).every(
          (part) => (workloads[part] ?? workload[part]) === workload[part],
        ) &&
        workloads.matches(ownLabels);
      const described = this.#objects.get(keyOf(workload.namespace, workloadText(workload))) ?? {};
      const labels = this.#wecs.get(keyOf('', status.wec))?.ownLabels ?? {};
      return isWanted ? [queriedRow(status, { position: key, labels, described })] : [];
    });
    for (let from = 0; from <= found.length; from += FAKE_BATCH) {
      const rows = found.slice(from, from + FAKE_BATCH);
      this.reads.push(...rows.map(({ position }) => position.slice(position.indexOf('\0') + 1)));
      yield { rows, isLast: from + FAKE_BATCH >= found.length };
      if (from + FAKE_BATCH >= found.length) return;
    }
  }

  async resourcesIn(scope: Scope): Promise<readonly GroupResource[]> {
    this.#called('resourcesIn');
    const found = new Map<string, GroupResource>();
    for (const { workload } of this.#statuses.values())
      if (isIn(scope, workload)) found.set(resourceText(workload), workload);
    return [...found.values()].map(({ group, resource }) => ({ group, resource }));
  }

  #statusesOf(key: string): readonly WecStatus[] {
    return [...this.#statuses.values()].filter(
      ({ workload }) => keyOf(workload.namespace, workloadText(workload)) === key,
    );
  }

  async workloads({
    scope,
    readable,
    selector = EVERYTHING,
    wecs,
    ...page
  }: WorkloadsRequest): Promise<StatusPage<BoundWorkload>> {
    this.#called('workloads');
    const all = new Map<string, BoundWorkload>();
    for (const status of this.#statuses.values())
      all.set(keyOf(status.workload.namespace, workloadText(status.workload)), status);
    const isSent = ({ namespace, ...rest }: WorkloadName): boolean =>
      this.#statusesOf(keyOf(namespace, workloadText({ namespace, ...rest }))).some(
        ({ wec }) => wecs?.includes(wec) !== false,
      );
    const isWanted = (one: BoundWorkload): boolean =>
      isIn(scope, one.workload) &&
      readable(one.workload) &&
      isSent(one.workload) &&
      selects(selector, selectableWorkload(one));
    return pageOf(all, page, isWanted);
  }

  async workload(workload: WorkloadName): Promise<WorkloadState | undefined> {
    this.#called('workload');
    const key = keyOf(workload.namespace, workloadText(workload));
    const [first, ...others] = this.#statusesOf(key);
    if (first === undefined) return undefined;
    this.reads.push(workloadText(workload));
    return workloadStateOf([first, ...others], this.#results.get(key) ?? APPLIED);
  }

  async wec(name: string): Promise<Wec | undefined> {
    this.#called('wec');
    return this.#wecs.get(keyOf('', name));
  }

  async wecs({
    selector,
    ...page
  }: PageRequest & { readonly selector: StatusSelector }): Promise<StatusPage<Wec>> {
    this.#called('wecs');
    const selectable = (wec: Wec): Selectable => selectableWec(wec);
    return pageOf(this.#wecs, page, (wec) => selects(selector, selectable(wec)));
  }

  async revision(): Promise<number> {
    this.#called('revision');
    return this.#revision;
  }

  async changes(after: number): Promise<Changes | undefined> {
    this.#called('changes');
    if (after < this.#floor) return undefined;
    const byName = new Map<string, Changed>();
    for (const change of this.#journal.filter(({ revision }) => revision > after)) {
      const { revision: _revision, ...name } = change;
      const key = JSON.stringify(name);
      byName.delete(key);
      byName.set(key, change);
    }
    return { revision: this.#revision, changed: [...byName.values()] };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
