import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { parseNamedSortKey } from '#shared/state/named-objects.ts';
import { type BoundObject, type BoundObjects, wecOf } from './bound-object.ts';
import { type EntryRange, EntryReader, rangeAfter } from './entries.ts';
import { compareKeys, type Position } from './positions.ts';
import type { Destination } from './reports.ts';

/** After so many entries, or objects, a page ends, however few statuses it has. */
const MAX_ENTRIES = 10_000;
const MAX_OBJECTS = 500;
/** At most so many objects are read at a time. */
const MAX_AHEAD = 16;

/** What a walk is about. */
export interface WalkOptions {
  readonly range: EntryRange;
  readonly after: Position;
  /** Whether an object is read at all. */
  mayNeed(workload: WorkloadName): boolean;
  /** The WECs of an object that are wanted, as they are written in the API, in that order. */
  wecsOf(object: BoundObject): Promise<readonly string[]>;
}

/** An object whose WECs are being named. */
interface Stream {
  readonly bound: BoundObject;
  /** What the names begin with: the sort key of the entry and a colon. */
  readonly prefix: string;
  readonly wecs: readonly string[];
  next: number;
}

function headOf({ prefix, wecs, next }: Stream): string {
  return `${prefix}${wecs[next]}`;
}

/** The index of the first WEC whose name is after a name. */
function firstAfter(wecs: readonly string[], prefix: string, name: string): number {
  let [low, high] = [0, wecs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(`${prefix}${wecs[middle]}`, name) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The keys of objects that may still have names after an entry: `web` has `web:edge` after the entries of `web-2` and `web.x`. An
 * object's name continues with a colon, so what follows it in the entry sorts no later than a colon.
 */
function openBefore(entry: string): readonly string[] {
  const first = entry.indexOf(':') + 2;
  const keys: string[] = [];
  for (let end = first; end < entry.length; end += 1)
    if ((entry[end] ?? '') <= ':') keys.push(entry.slice(0, end));
  return [...keys, entry];
}

/**
 * Names the WECs of the objects in a range, in the order of (namespace, name), without a scan: from the entries of the objects and
 * from the destination lists of their Bindings.
 */
export class NamedWalk {
  readonly #store: ItemStore;
  readonly #objects: BoundObjects;
  readonly #options: WalkOptions;
  readonly #reader: EntryReader;
  readonly #read = new Map<string, BoundObject | undefined>();
  #streams: Stream[] = [];
  #position: Position;
  #isBegun = false;
  #entries = 0;
  #objectsRead = 0;
  /** The objects that were opened, and the WECs that they had. */
  readonly #opened = { objects: 0, wecs: 0 };

  /** @throws InvalidContinuationError if the position is not in the range */
  constructor(store: ItemStore, objects: BoundObjects, options: WalkOptions) {
    this.#store = store;
    this.#objects = objects;
    this.#options = options;
    this.#position = options.after;
    this.#reader = new EntryReader(store, rangeAfter(options.range, options.after.entry));
  }

  /** Where another walk goes on. */
  get position(): Position {
    return this.#position;
  }

  /** Whether nothing is left. */
  async isAtEnd(): Promise<boolean> {
    return this.#streams.length === 0 && (await this.#reader.peek()) === undefined;
  }

  /**
   * The next WEC of an object.
   *
   * @param missing how many more the caller wants
   * @returns `pause` if this walk has looked at so much that another one has to go on
   */
  async next(missing: number): Promise<Destination | 'end' | 'pause'> {
    if (!this.#isBegun) await this.#goOn();
    let entry = await this.#reader.peek();
    while (entry !== undefined && this.#isNext(entry)) {
      if (this.#entries >= MAX_ENTRIES || this.#objectsRead >= MAX_OBJECTS) return 'pause';
      await this.#open(entry, missing);
      this.#reader.shift();
      this.#entries += 1;
      this.#position = { ...this.#position, entry };
      entry = await this.#reader.peek();
    }
    const stream = this.#first();
    return stream === undefined ? 'end' : this.#take(stream);
  }

  /** Whether names of an entry may be before all names of the open objects. */
  #isNext(entry: string): boolean {
    const stream = this.#first();
    return stream === undefined || compareKeys(entry, headOf(stream)) < 0;
  }

  /** Opens the objects again that were open at the position. */
  async #goOn(): Promise<void> {
    this.#isBegun = true;
    const { entry } = this.#position;
    if (entry === '') return;
    const { pk } = this.#options.range;
    const reopened = await this.#store.get(openBefore(entry).map((sk) => ({ pk, sk })));
    for (const item of reopened) if (item !== undefined) await this.#open(item.sk, 1);
  }

  #first(): Stream | undefined {
    let first: Stream | undefined;
    for (const stream of this.#streams)
      if (first === undefined || compareKeys(headOf(stream), headOf(first)) < 0) first = stream;
    return first;
  }

  #take(stream: Stream): Destination {
    const { bound, wecs } = stream;
    const written = String(wecs[stream.next]);
    this.#position = { ...this.#position, name: headOf(stream) };
    stream.next += 1;
    if (stream.next >= wecs.length) this.#streams = this.#streams.filter((one) => one !== stream);
    return { bound, wec: wecOf(written) };
  }

  async #open(entry: string, missing: number): Promise<void> {
    const workload = parseNamedSortKey(entry);
    if (workload === undefined || !this.#options.mayNeed(workload)) return;
    const bound = await this.#object(entry, missing);
    const wecs = bound && (await this.#options.wecsOf(bound));
    if (bound === undefined || wecs === undefined) return;
    const prefix = `${entry}:`;
    const next = firstAfter(wecs, prefix, this.#position.name);
    this.#opened.objects += 1;
    this.#opened.wecs += wecs.length - next;
    if (next < wecs.length) this.#streams.push({ bound, prefix, wecs, next });
  }

  async #object(entry: string, missing: number): Promise<BoundObject | undefined> {
    if (!this.#read.has(entry)) {
      const ahead = this.#reader.waiting
        .slice(1)
        .filter((sk) => sk !== entry && this.#isNeeded(sk));
      const batch = [entry, ...ahead.slice(0, this.#ahead(missing) - 1)];
      this.#objectsRead += batch.length;
      const found = await Promise.all(batch.map((sk) => this.#readObject(sk)));
      for (const [index, sk] of batch.entries()) this.#read.set(sk, found[index]);
    }
    const bound = this.#read.get(entry);
    this.#read.delete(entry);
    return bound;
  }

  #isNeeded(entry: string): boolean {
    const workload = parseNamedSortKey(entry);
    return workload !== undefined && this.#options.mayNeed(workload) && !this.#read.has(entry);
  }

  async #readObject(entry: string): Promise<BoundObject | undefined> {
    const workload = parseNamedSortKey(entry);
    return workload && this.#objects.read(workload);
  }

  /** How many objects to read at a time: as many as have the missing WECs, if each has as many as those before. */
  #ahead(missing: number): number {
    const { objects, wecs } = this.#opened;
    if (objects === 0) return 1;
    const each = Math.max(wecs / objects, 1);
    return Math.min(Math.max(Math.ceil(missing / each), 1), MAX_AHEAD);
  }
}
