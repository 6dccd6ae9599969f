import * as z from 'zod/mini';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { SORT, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import { compareAndPut } from './compare-and-put.ts';

/** The partition of the subjects that are set aside. Each has an item, so one query finds them all. */
export const SET_ASIDE = 'ASIDE';

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;
/**
 * The longest pause if the inputs of the subject have changed since it ended the process. It is this long because a user who edits
 * a StatusCollector again and again must not end a process more often than that.
 */
const LONGEST_CHANGED_PAUSE_MS = 300_000;
/** A mark that no process reads any more expires after a day. */
const MARK_SECONDS = 86_400;

/** A subject that is not aggregated for a while, because its aggregation has ended the process. */
export interface SetAside {
  /** The subject's partition. */
  readonly pk: string;
  /** When it was first and last set aside, in milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly lastMs: number;
  /** How often it has been set aside since then. */
  readonly times: number;
  /** For a workload object: the Bindings that may have been notified. */
  readonly bindings: readonly string[];
  /**
   * A hash of what users of the WDS have written of its inputs when it last ended the process. Absent if it is not known, for
   * subjects of Fleet, and in what older releases stored. Then the pause does not depend on it.
   */
  readonly inputs?: string;
  /** Whether these inputs have changed since. */
  readonly changed?: boolean;
}

const SET_ASIDE_BODY = bodyCodec<Omit<SetAside, 'pk'>>(
  'entry of a subject that is set aside',
  looseObject({
    sinceMs: z.number(),
    lastMs: z.number(),
    times: z.number(),
    bindings: z.array(z.string()),
    inputs: z.exactOptional(z.string()),
    changed: z.exactOptional(z.boolean()),
  }),
);

/**
 * When a subject that is set aside is retried: after a minute, then after twice the previous pause each time, up to an
 * hour. If its inputs have changed, up to five minutes.
 */
export function nextTryMs({ lastMs, times, changed = false }: SetAside): number {
  const longestMs = changed ? LONGEST_CHANGED_PAUSE_MS : LONGEST_PAUSE_MS;
  return lastMs + Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), longestMs);
}

/** Identifies the state of a subject that is set aside. It changes each time that the subject is set aside. */
export function setAsideVersion({ lastMs }: SetAside): string {
  return sortableNumber(lastMs);
}

function entryOf(item: Item): SetAside {
  return { ...SET_ASIDE_BODY.decode(item), pk: item.sk };
}

function entryItem({ pk: sk, ...body }: SetAside): Item & { readonly version: string } {
  const version = setAsideVersion({ pk: sk, ...body });
  return { pk: SET_ASIDE, sk, version, body: SET_ASIDE_BODY.encode(body) };
}

/**
 * Reads the subjects that are set aside, in the order of the partitions. One read as long as there are few. Strongly
 * consistent.
 */
export async function readSetAside(store: ItemStore): Promise<readonly SetAside[]> {
  const entries: SetAside[] = [];
  for await (const items of pages(store, { pk: SET_ASIDE }))
    for (const item of items) entries.push(entryOf(item));
  return entries;
}

/** Reads whether a subject is set aside, and since when. Strongly consistent. */
export async function readSetAsideOf(store: ItemStore, pk: string): Promise<SetAside | undefined> {
  const [item] = await store.get([{ pk: SET_ASIDE, sk: pk }]);
  return item === undefined ? undefined : entryOf(item);
}

/** The end of a process that sets a subject aside. */
export interface ProcessEnd {
  readonly pk: string;
  readonly nowMs: number;
  readonly bindings: readonly string[];
  /** The hash of the inputs before the attempt that ended the process. `undefined`: it is not known. */
  readonly tried?: string | undefined;
  /** The hash of the inputs now. Absent for subjects of Fleet. */
  readonly present?: string;
}

/**
 * Sets a subject aside, for the first time or again.
 *
 * @param before the entry that was read
 * @returns undefined if the entry has changed since: start again
 */
export async function putSetAside(
  store: ItemStore,
  { pk, nowMs, bindings, present, tried = present }: ProcessEnd,
  before: SetAside | undefined,
): Promise<SetAside | undefined> {
  // Each state is later than the previous one, whatever the clocks of two processes show.
  const lastMs = Math.max(nowMs, (before?.lastMs ?? 0) + 1);
  const entry: SetAside = {
    pk,
    sinceMs: before?.sinceMs ?? lastMs,
    lastMs,
    times: (before?.times ?? 0) + 1,
    bindings: [...new Set([...(before?.bindings ?? []), ...bindings])].sort(),
    ...(tried === undefined ? {} : { inputs: tried }),
    ...(tried === present ? {} : { changed: true }),
  };
  const version = before === undefined ? '' : setAsideVersion(before);
  return (await compareAndPut(store, entryItem(entry), version)) ? entry : undefined;
}

/**
 * Notes in the entry of a subject that is set aside that its inputs have changed, if they have. Then the pause is shorter.
 *
 * @param entry the entry that was read
 * @param present the hash of the inputs, read after the entry. `undefined` for subjects of Fleet
 * @returns the entry as it is stored; undefined if it has changed since: start again
 */
export async function noteInputs(
  store: ItemStore,
  entry: SetAside,
  present: string | undefined,
): Promise<SetAside | undefined> {
  const { inputs, changed = false } = entry;
  const isSame = inputs === undefined || present === undefined || inputs === present;
  if (changed || isSame) return entry;
  const next = { ...entry, changed: true };
  return (await compareAndPut(store, entryItem(next), setAsideVersion(entry))) ? next : undefined;
}

/** Ends the setting aside of a subject, unless it has been set aside again since the entry was read. */
export async function removeSetAside(store: ItemStore, entry: SetAside): Promise<void> {
  const key = { pk: SET_ASIDE, sk: entry.pk };
  await store.delete([{ key, version: setAsideVersion(entry) }]);
}

/** A row of a WEC, and the length of its text in bytes. */
export interface SizedRow {
  readonly wec: string;
  readonly bytes: number;
}

/** The mark of a group of messages that is processed in isolation. If the process dies, the mark stays. */
export interface TryingMark {
  readonly pk: string;
  readonly sinceMs: number;
  /** Of a workload object: the largest rows that the process has read so far, largest first. */
  readonly largest?: readonly SizedRow[];
  /** Of a subject that is set aside: the hash of its inputs before the attempt ({@link SetAside.inputs}). */
  readonly inputs?: string;
}

type MarkBody = Pick<TryingMark, 'largest' | 'inputs'>;

const MARK_BODY = bodyCodec<MarkBody>(
  'mark of an attempt in isolation',
  looseObject({
    largest: z.exactOptional(z.array(looseObject({ wec: z.string(), bytes: z.number() }))),
    inputs: z.exactOptional(z.string()),
  }),
);

function markKey(pk: string): ItemKey {
  return { pk, sk: SORT.trying };
}

function markItem({ pk, sinceMs, ...body }: TryingMark): Item {
  return {
    ...markKey(pk),
    version: sortableNumber(sinceMs),
    expiresAt: Math.ceil(sinceMs / 1000) + MARK_SECONDS,
    ...(Object.keys(body).length === 0 ? {} : { body: MARK_BODY.encode(body) }),
  };
}

/** Reads the mark of a group, if there is one. Strongly consistent. */
export async function readTrying(store: ItemStore, pk: string): Promise<TryingMark | undefined> {
  const [item] = await store.get([markKey(pk)]);
  if (item === undefined) return undefined;
  const body = item.body === undefined ? {} : MARK_BODY.decode(item);
  return { ...body, pk, sinceMs: Number(item.version) };
}

/**
 * Marks a group as being processed in isolation.
 *
 * @param before the mark that was read
 * @returns undefined if another process has put a mark since
 */
export async function putTrying(
  store: ItemStore,
  at: { readonly pk: string; readonly nowMs: number; readonly inputs?: string | undefined },
  before: TryingMark | undefined,
): Promise<TryingMark | undefined> {
  const { pk, nowMs, inputs } = at;
  const sinceMs = Math.max(nowMs, (before?.sinceMs ?? 0) + 1);
  const mark: TryingMark = { pk, sinceMs, ...(inputs === undefined ? {} : { inputs }) };
  const version = before === undefined ? '' : sortableNumber(before.sinceMs);
  return (await compareAndPut(store, markItem(mark), version)) ? mark : undefined;
}

/** Notes in a mark the largest rows that the process has read, unless another process has put its own mark. */
export async function noteLargestRows(
  store: ItemStore,
  mark: TryingMark,
  largest: readonly SizedRow[],
): Promise<void> {
  await compareAndPut(store, markItem({ ...mark, largest }), sortableNumber(mark.sinceMs));
}

/** Removes a mark, unless another process has put its own. */
export async function removeTrying(store: ItemStore, mark: TryingMark): Promise<void> {
  await store.delete([{ key: markKey(mark.pk), version: sortableNumber(mark.sinceMs) }]);
}
