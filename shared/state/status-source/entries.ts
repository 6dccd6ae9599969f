import { type GroupResource, resourceText } from '#shared/core/status-api/status-name.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Scope } from '#shared/ports/status-source.ts';
import {
  namedPartition,
  namedPrefix,
  namedResourcePrefix,
  parseNamedSortKey,
} from '#shared/state/named-objects.ts';
import { pages } from '#shared/state/pages.ts';
import type { RequiredNames } from './selection.ts';

/** Some entries of a WDS, in the order of their sort keys. */
export interface EntryRange {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
}

/** Sorts after everything that begins with the same text. */
const LAST = '\u{10ffff}';
/** Sorts immediately after the same text. */
const NEXT = '\u0000';

const PAGE_SIZE = 100;

/** The beginning of the sort keys of a namespace, as far as the required names determine it. */
function prefixIn(namespace: string, { group, resource, name }: RequiredNames): string {
  if (resource === undefined || group === undefined) return namedPrefix(namespace);
  return `${namedResourcePrefix(namespace, { group, resource })}${name ?? ''}`;
}

/**
 * The entries of a scope that may have the required names.
 *
 * @returns undefined if there are none
 */
export function entryRange(
  wds: string,
  scope: Scope,
  required: RequiredNames,
): EntryRange | undefined {
  const pk = namedPartition(wds);
  const scoped = scopedNamespace(scope);
  const namespace = scoped ?? required.namespace;
  if (required.namespace !== undefined && namespace !== required.namespace) return undefined;
  if (namespace === undefined) {
    // Behind the objects without a namespace.
    return { pk, from: `${namedPrefix('')}${LAST}`, to: LAST };
  }
  if (scope === 'all-namespaces' && namespace === '') return undefined;
  const prefix = prefixIn(namespace, required);
  return { pk, from: prefix, to: `${prefix}${LAST}` };
}

function scopedNamespace(scope: Scope): string | undefined {
  if (scope === 'all-namespaces') return undefined;
  return scope === 'cluster' ? '' : scope.namespace;
}

/**
 * The rest of a range after an entry.
 *
 * @param entry `''`: the whole range
 * @throws InvalidContinuationError if no such range has the entry
 */
export function rangeAfter(range: EntryRange, entry: string): EntryRange {
  if (entry === '') return range;
  if (entry < range.from || entry > range.to) throw new InvalidContinuationError();
  return { ...range, from: `${entry}${NEXT}` };
}

/** Reads the entries of a range one after the other, in pages. */
export class EntryReader {
  readonly #store: ItemStore;
  readonly #range: EntryRange;
  #waiting: string[] = [];
  #cursor: string | undefined;
  #isAtEnd = false;

  constructor(store: ItemStore, range: EntryRange) {
    this.#store = store;
    this.#range = range;
  }

  /** The sort key of the next entry. Undefined at the end. */
  async peek(): Promise<string | undefined> {
    while (this.#waiting.length === 0 && !this.#isAtEnd) {
      const cursor = this.#cursor === undefined ? {} : { cursor: this.#cursor };
      const page = await this.#store.query({ ...this.#range, ...cursor, limit: PAGE_SIZE });
      this.#waiting = page.items.map(({ sk }) => sk);
      this.#cursor = page.cursor;
      this.#isAtEnd = page.cursor === undefined;
    }
    return this.#waiting[0];
  }

  /** Goes on to the entry after the next one. */
  shift(): void {
    this.#waiting.shift();
  }

  /** The sort keys of the next entries, at most so many. Empty only at the end. */
  async take(most: number): Promise<readonly string[]> {
    await this.peek();
    return this.#waiting.splice(0, most);
  }

  /** The entries that have been read and are still to come. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }
}

/** The first entry from a sort key on. */
async function firstFrom(store: ItemStore, range: EntryRange): Promise<string | undefined> {
  for await (const [item] of pages(store, { ...range, limit: 1 }))
    if (item !== undefined) return item.sk;
  return undefined;
}

/** After so many entries, everything else in the process goes on. A Binding may name thousands of namespaces. */
const ENTRIES_IN_TURN = 20;

/**
 * The resources of the entries in a range. Reads one entry for each resource of each namespace.
 *
 * @param nextTurn resolves when the next entries may be read
 */
export async function resourcesOf(
  store: ItemStore,
  range: EntryRange,
  nextTurn: () => Promise<void>,
): Promise<readonly GroupResource[]> {
  const found = new Map<string, GroupResource>();
  let sk = await firstFrom(store, range);
  for (let read = 1; sk !== undefined; read += 1) {
    if (read % ENTRIES_IN_TURN === 0) await nextTurn();
    const workload = parseNamedSortKey(sk);
    if (workload !== undefined) {
      const { group, resource } = workload;
      found.set(resourceText(workload), { group, resource });
    }
    const passed = workload && namedResourcePrefix(workload.namespace, workload);
    const from = passed === undefined ? `${sk}${NEXT}` : `${passed}${LAST}`;
    sk = await firstFrom(store, { ...range, from });
  }
  return [...found.values()];
}
