import { silentAfterOf } from '#shared/core/binding/silent-after.ts';
import {
  type CollectorRow,
  type CompiledCollector,
  mentions,
  readsFact,
} from '#shared/core/collector/compiled-collector.ts';
import { createCollectorRows, type RowInputs } from '#shared/core/desired/collector-rows.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { labelsOf } from '#shared/core/labels.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { QueriedRow, QueriedWorkloads } from '#shared/core/status-api/status-query.ts';
import type { Item } from '#shared/ports/item-store.ts';
import type { RowsBatch, RowsRequest } from '#shared/ports/status-source.ts';
import { rowKey } from '#shared/state/keys.ts';
import { decodeRow, type StoredRow } from '#shared/state/rows.ts';
import { silentWecs } from '#shared/state/silence.ts';
import type { WecInventories } from '#shared/state/wec-inventories.ts';
import type { BoundObject, BoundObjects } from './bound-object.ts';
import { entryRange } from './entries.ts';
import { parsePosition, positionText } from './positions.ts';
import { addSpecs, type Destination } from './reports.ts';
import { NamedWalk } from './walk.ts';
import { readUnheard, type WorkloadStateDeps } from './workload-state.ts';

/** What the rows of queries are read from. */
export interface QueriedRowsDeps extends WorkloadStateDeps {
  readonly objects: BoundObjects;
  readonly inventories: WecInventories;
}

/** So many rows are read at first. Then as many as have about a megabyte: other requests wait while a batch is parsed. */
const FIRST_BATCH = 16;
const MAX_BATCH = 100;
const BATCH_BYTES = 1024 * 1024;

/** What rows depend on besides the rows, as far as the collector mentions it. */
type WecFacts = Pick<RowInputs, 'silent' | 'inventory'>;

async function readFacts(
  { store, inventories }: QueriedRowsDeps,
  collector: CompiledCollector,
): Promise<WecFacts> {
  return {
    ...(mentions(collector, 'propagation') ? { silent: await silentWecs(store) } : {}),
    ...(readsFact(collector, 'inventory') ? { inventory: await inventories.read() } : {}),
  };
}

function isNamed(workloads: QueriedWorkloads, { group, resource, name }: WorkloadName): boolean {
  return (
    (workloads.resource ?? resource) === resource &&
    (workloads.group ?? group) === group &&
    (workloads.name ?? name) === name
  );
}

/** An object that is being queried. */
interface QueriedObject {
  readonly kind: string;
  toRow(row: PerWecRow): CollectorRow;
  /** Whether a WEC counts as one that has reported nothing, with the rows in `stored`. */
  isUnheard(wec: string): boolean;
  readonly stored: Map<string, StoredRow>;
}

/** A row whose bytes are known. */
interface ReadRow extends Destination {
  readonly stored?: StoredRow;
  readonly bytes: number;
}

function readRow(destination: Destination, item: Item | undefined): ReadRow {
  if (item === undefined) return { ...destination, bytes: 0 };
  const { body = '' } = item;
  const stored = decodeRow(item);
  // A compressed body may be a thousand times larger.
  const bytes =
    typeof body === 'string' ? body.length : jsonBytes((stored.row ?? null) as JsonValue);
  return { ...destination, bytes, ...(stored.deleted === true ? {} : { stored }) };
}

/** Reads the rows of one query, batch by batch. */
class RowReader {
  readonly #deps: QueriedRowsDeps;
  readonly #collector: CompiledCollector;
  readonly #facts: WecFacts;
  readonly #known = new WeakMap<BoundObject, Promise<QueriedObject>>();
  #rows = 0;
  #bytes = 0;

  constructor(deps: QueriedRowsDeps, collector: CompiledCollector, facts: WecFacts) {
    this.#deps = deps;
    this.#collector = collector;
    this.#facts = facts;
  }

  /** How many rows to read next, if they are as large as those before. */
  get batchSize(): number {
    if (this.#rows === 0) return FIRST_BATCH;
    const fitting = Math.floor(BATCH_BYTES / Math.max(this.#bytes / this.#rows, 1));
    return Math.min(Math.max(fitting, 1), MAX_BATCH);
  }

  async read(
    batch: readonly (Destination & { readonly position: string })[],
    signal: AbortSignal | undefined,
  ): Promise<readonly QueriedRow[]> {
    const { store, wds } = this.#deps;
    const keys = batch.map(({ bound, wec }) => rowKey({ ...bound.workload, wds }, wec));
    const items = await store.get(keys, signal);
    const read = batch.map((destination, index) => readRow(destination, items[index]));
    for (const { bound } of read) bound.specs.clear();
    await addSpecs(
      this.#deps,
      read.map(({ bound, stored }) => ({ bound, ...(stored?.row && { row: stored.row }) })),
    );
    this.#rows += read.length;
    this.#bytes += read.reduce((sum, { bytes }) => sum + bytes, 0);
    const rows: QueriedRow[] = [];
    for (const [index, row] of read.entries())
      rows.push(await this.#rowOf(row, String(batch[index]?.position)));
    return rows;
  }

  async #rowOf({ bound, wec, stored, bytes }: ReadRow, position: string): Promise<QueriedRow> {
    const { kind, toRow, isUnheard, stored: ofObject } = await this.#objectOf(bound);
    ofObject.clear();
    if (stored !== undefined) ofObject.set(wec, stored);
    const row = toRow(stored === undefined || isUnheard(wec) ? { wec } : stored);
    return { workload: bound.workload, kind, row, bytes, position };
  }

  #objectOf(bound: BoundObject): Promise<QueriedObject> {
    const known = this.#known.get(bound) ?? this.#make(bound);
    this.#known.set(bound, known);
    return known;
  }

  async #make({ object, memberships, specs }: BoundObject): Promise<QueriedObject> {
    // Only objects that the WDS has are queried. record-events stores objects that have apiVersion, kind and metadata.
    const content = object as WorkloadObject;
    const stored = new Map<string, StoredRow>();
    const silentAfterMs = silentAfterOf(content, memberships);
    const isUnheard =
      silentAfterMs === undefined
        ? () => false
        : await readUnheard(this.#deps, silentAfterMs, stored);
    const toRow = createCollectorRows({ ...this.#facts, object: content, specs })(this.#collector);
    return { kind: content.kind, toRow, isUnheard, stored };
  }
}

/** The next destinations of a walk, each with the position after it. */
async function nextOf(walk: NamedWalk, most: number) {
  const batch: (Destination & { readonly position: string })[] = [];
  while (batch.length < most) {
    const next = await walk.next(most - batch.length);
    if (next === 'end' || next === 'pause') return { batch, stop: next };
    batch.push({ ...next, position: positionText(walk.position) });
  }
  return { batch };
}

/** The batches of one walk. The last one says whether there are no more, or another walk has to go on. */
async function* walked(
  reader: RowReader,
  walk: NamedWalk,
  signal: AbortSignal | undefined,
): AsyncGenerator<RowsBatch> {
  for (let stop: 'end' | 'pause' | undefined; stop === undefined; ) {
    const next = await nextOf(walk, reader.batchSize);
    const isLast = next.stop === 'end' || (await walk.isAtEnd());
    stop = isLast ? 'end' : next.stop;
    yield { rows: await reader.read(next.batch, signal), isLast };
  }
}

/**
 * Reads the rows of a query in the order of (namespace, name), as an aggregation sees them (docs/architecture.md, section 9.9).
 *
 * @throws InvalidContinuationError
 */
export async function* queriedRows(
  deps: QueriedRowsDeps,
  { scope, workloads, collector, after, readable }: RowsRequest,
  signal?: AbortSignal,
): AsyncGenerator<RowsBatch> {
  const { matches, allNamespaces: _all, ...required } = workloads;
  const range = entryRange(deps.wds, scope, required);
  let position = parsePosition(after);
  if (range === undefined) return;
  const reader = new RowReader(deps, collector, await readFacts(deps, collector));
  for (let isLast = false; !isLast; ) {
    const walk = new NamedWalk(deps.store, deps.objects, {
      range,
      after: position,
      mayNeed: (workload) => readable(workload) && isNamed(workloads, workload),
      wecsOf: async ({ object, wecs }) =>
        object !== undefined && matches(labelsOf(object)) ? wecs : [],
    });
    for await (const batch of walked(reader, walk, signal)) {
      yield batch;
      isLast = batch.isLast;
    }
    position = walk.position;
  }
}
