import * as z from 'zod/mini';
import type { JsonValue } from '#shared/core/json.ts';
import { type Census, isComplete } from '#shared/core/status-api/census.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec, textCodec } from '#shared/state/body.ts';
import { getDocument, putDocument, removeDocuments } from '#shared/state/document.ts';
import { RANGE, SORT, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { type DestinationsName, destinationsName } from '#shared/state/membership.ts';
import { compareAndPut } from './compare-and-put.ts';

/** How the rows of a family are divided into parts. */
export interface FamilyLayout {
  readonly shards: number;
  /** See {@link Head.layoutRevision}. */
  readonly layoutRevision: number;
  /** The number of rows. */
  readonly rows: number;
}

/**
 * The state after a subject's latest aggregation. It is small, and every aggregation replaces it (docs/architecture.md, section
 * 5, "The protocol", rule 2).
 */
export interface Head {
  /** 0 before the first aggregation. */
  readonly revision: number;
  /** The hash of the desired result. Absent before the first aggregation. */
  readonly hash?: string;
  /** The revision that stored the result, and the number of its chunks. */
  readonly resultRevision?: number;
  readonly resultChunks?: number;
  /** The number of shards of the rows. With 1, no part is stored. */
  readonly shards: number;
  /**
   * The revision in which the number of shards last changed. Parts of another layout are outdated, whatever their fingerprint
   * is.
   */
  readonly layoutRevision: number;
  /** For each observed item of this subject (by sort key), the content version from which the result was computed. */
  readonly consumed: Readonly<Record<string, string>>;
  /** Stored by an older release: Bindings with an error entry of this workload, but perhaps without a note. */
  readonly errorBindings: readonly string[];
  /** For a workload object: whether there may be notes of its errors, one for each Binding. */
  readonly noted?: true;
  /** For a workload object: the API version under which it was last known. */
  readonly version?: string;
  /** For a Binding: where its destinations are stored. For a Bundle: where its targets are stored. */
  readonly destinations?: DestinationsName;
  /**
   * The sources that have not reported everything since the state began, and the StatusCollectors that are not checked yet, at
   * most ten. Because of them, the result may lack something that was known before. Empty if there were some before. Absent if
   * there never were.
   */
  readonly awaits?: readonly string[];
  /** The number of these sources. */
  readonly awaited?: number;
  /** Nothing is awaited any more, or something was applied before. The sources are not read again. */
  readonly whole?: true;
  /** For a workload object: since when no Binding has named it, in milliseconds since 1970. Absent if a Binding names it. */
  readonly unnamedMs?: number;
  /**
   * For a workload object: its entry exists among the objects that a Binding names (`putNamed`). Absent if no Binding names it,
   * and in what older releases stored.
   */
  readonly named?: true;
  /**
   * For a workload object: the WECs that lists find without their rows. The names are left out unless they are all of them. Absent
   * if nothing was folded, and in what older releases stored.
   */
  readonly census?: Census;
  /**
   * For a workload object: Argo CD's verdict on it with the desired status; without a status if there is no verdict. Absent in
   * what older releases stored.
   */
  readonly verdict?: HeadVerdict;
  /**
   * For a workload object: the verdict before this head, if it was another one and notifications are sent. The next aggregation
   * sends the message about it once more before it replaces this head.
   */
  readonly verdictBefore?: string;
  /** The time of `starfold.dev/silent-after` for which the subject is stored, in milliseconds (`putTimedSubject`). */
  readonly silentAfterMs?: number;
  /** For an object of Fleet: the families of its rows, by name. */
  readonly families?: Readonly<Record<string, FamilyLayout>>;
}

/** A verdict as a head has it. */
export interface HeadVerdict {
  /** Argo CD's status, or `None` (`NO_VERDICT`). */
  readonly status: string;
  /** Absent if there is none. */
  readonly message?: string;
}

/** The hash of what was wanted of an object, and the hash of what the API server then had. */
export interface OwnedHashes {
  readonly want: string;
  readonly observed: string;
  /** Starfold only owns the labels of the workload object: `observed` is an `ownedLabelsHash`. */
  readonly labelsOnly?: boolean;
  /** What the API server rejected of the object, as users see it. */
  readonly refused?: readonly string[];
}

/** What the writer last applied. It is separate from the head, because two processes write them. */
export interface Applied {
  /** Counts the writes of this item. */
  readonly revision: number;
  /** Hash of the desired result that was applied. */
  readonly hash: string;
  /** The hashes, by the name of the owned object. */
  readonly owned: Readonly<Record<string, OwnedHashes>>;
  /** Bindings that may have an entry for a rejection by the API server. */
  readonly errorBindings: readonly string[];
  /** For a workload object: the API server's messages of rejection. */
  readonly reported: readonly string[];
  /** When the result was last written, in milliseconds since 1970. Absent in what older releases stored. */
  readonly writtenMs?: number;
}

/** A {@link FamilyLayout} as it is stored, with the field names of release 0.1. */
type StoredLayout = Omit<FamilyLayout, 'layoutRevision'> & { readonly era: number };
/** A {@link Head} as it is stored, with the field names of release 0.1. */
type StoredHead = Omit<Head, 'layoutRevision' | 'consumed' | 'families'> & {
  readonly era: number;
  readonly seen: Head['consumed'];
  readonly families?: Readonly<Record<string, StoredLayout>>;
};
type StoredHashes = Omit<OwnedHashes, 'observed'> & { readonly seen: string };
/** {@link Applied} as it is stored, with the field names of release 0.1. */
type StoredApplied = Omit<Applied, 'owned'> & {
  readonly facets: Readonly<Record<string, StoredHashes>>;
};

const familyLayout = looseObject({ shards: z.number(), era: z.number(), rows: z.number() });
const HEAD = bodyCodec<StoredHead>(
  'head',
  looseObject({
    revision: z.number(),
    hash: z.exactOptional(z.string()),
    resultRevision: z.exactOptional(z.number()),
    resultChunks: z.exactOptional(z.number()),
    shards: z.number(),
    era: z.number(),
    seen: z.record(z.string(), z.string()),
    errorBindings: z.array(z.string()),
    noted: z.exactOptional(z.literal(true)),
    version: z.exactOptional(z.string()),
    destinations: z.exactOptional(destinationsName),
    awaits: z.exactOptional(z.array(z.string())),
    awaited: z.exactOptional(z.number()),
    whole: z.exactOptional(z.literal(true)),
    unnamedMs: z.exactOptional(z.number()),
    named: z.exactOptional(z.literal(true)),
    census: z.exactOptional(
      looseObject({
        counts: z.record(z.string(), z.number()),
        first: z.array(z.tuple([z.string(), z.string()])),
      }),
    ),
    verdict: z.exactOptional(
      looseObject({ status: z.string(), message: z.exactOptional(z.string()) }),
    ),
    verdictBefore: z.exactOptional(z.string()),
    silentAfterMs: z.exactOptional(z.number()),
    families: z.exactOptional(z.record(z.string(), familyLayout)),
  }),
);
const APPLIED = bodyCodec<StoredApplied>(
  'record of what was applied',
  looseObject({
    revision: z.number(),
    hash: z.string(),
    facets: z.record(
      z.string(),
      looseObject({
        want: z.string(),
        seen: z.string(),
        labelsOnly: z.exactOptional(z.boolean()),
        refused: z.exactOptional(z.array(z.string())),
      }),
    ),
    errorBindings: z.array(z.string()),
    reported: z.array(z.string()),
    writtenMs: z.exactOptional(z.number()),
  }),
);

function toLayout({ era, ...layout }: StoredLayout): FamilyLayout {
  return { ...layout, layoutRevision: era };
}

function storedLayout({ layoutRevision, ...layout }: FamilyLayout): StoredLayout {
  return { ...layout, era: layoutRevision };
}

function mapMembers<From, To>(
  members: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value)]));
}

function toHead({ era, seen, families, ...head }: StoredHead): Head {
  return {
    ...head,
    layoutRevision: era,
    consumed: seen,
    ...(families && { families: mapMembers(families, toLayout) }),
  };
}

function storedHead({ layoutRevision, consumed, families, ...head }: Head): StoredHead {
  return {
    ...head,
    era: layoutRevision,
    seen: consumed,
    ...(families && { families: mapMembers(families, storedLayout) }),
  };
}

function toApplied({ facets, ...applied }: StoredApplied): Applied {
  return {
    ...applied,
    owned: mapMembers(facets, ({ seen, ...hashes }) => ({ ...hashes, observed: seen })),
  };
}

function storedApplied({ owned, ...applied }: Applied): StoredApplied {
  return {
    ...applied,
    facets: mapMembers(owned, ({ observed, ...hashes }) => ({ ...hashes, seen: observed })),
  };
}

const NO_HEAD: Head = {
  revision: 0,
  shards: 1,
  layoutRevision: 0,
  consumed: {},
  errorBindings: [],
};
const NOTHING_APPLIED: Applied = {
  revision: 0,
  hash: '',
  owned: {},
  errorBindings: [],
  reported: [],
};

/**
 * Whether the desired result of a subject may be less than what the cluster has: nothing has been applied in this state, and
 * some sources have not reported everything.
 */
export function isPartial({ awaits = [], whole }: Head, applied: Applied): boolean {
  return applied.revision === 0 && whole !== true && awaits.length > 0;
}

/** The field of a head with a census: the names only if they are all of them. */
export function censusField(census: Census | undefined): Pick<Head, 'census'> {
  if (census === undefined) return {};
  return { census: isComplete(census) ? census : { ...census, first: [] } };
}

/**
 * Whether an older release aggregated an object that a Binding names, or may name. The next aggregation puts its entry
 * (`putNamed`).
 */
export function lacksEntry({ revision, named, unnamedMs }: Head): boolean {
  return revision > 0 && named !== true && unnamedMs === undefined;
}

/** Decodes the head of an item. If there is no item, returns the initial head. */
export function decodeHead(item: Item | undefined): Head {
  return item === undefined ? NO_HEAD : toHead(HEAD.decode(item));
}

function decodeApplied(item: Item | undefined): Applied {
  return item === undefined ? NOTHING_APPLIED : toApplied(APPLIED.decode(item));
}

/** Reads the head in a subject's partition. */
export async function readHead(store: ItemStore, pk: string): Promise<Head> {
  const [item] = await store.get([{ pk, sk: SORT.head }]);
  return decodeHead(item);
}

/** Reads what was last applied for a subject. */
export async function readApplied(store: ItemStore, pk: string): Promise<Applied> {
  const [item] = await store.get([{ pk, sk: SORT.applied }]);
  return decodeApplied(item);
}

/** Reads both at once. Neither is older than the call. */
export async function readHeadAndApplied(
  store: ItemStore,
  pk: string,
): Promise<{ readonly head: Head; readonly applied: Applied }> {
  const [head, applied] = await store.get([
    { pk, sk: SORT.head },
    { pk, sk: SORT.applied },
  ]);
  return {
    head: decodeHead(head),
    applied: decodeApplied(applied),
  };
}

function putRevised(
  store: ItemStore,
  key: { readonly pk: string; readonly sk: string },
  { revision, body }: { readonly revision: number; readonly body: string | Uint8Array },
): Promise<boolean> {
  const item = { ...key, version: sortableNumber(revision), body };
  return compareAndPut(store, item, revision === 1 ? '' : sortableNumber(revision - 1));
}

/** Stores the head after revision `head.revision - 1`. Returns false if that revision is no longer stored. */
export function putHead(store: ItemStore, pk: string, head: Head): Promise<boolean> {
  const { revision } = head;
  return putRevised(
    store,
    { pk, sk: SORT.head },
    { revision, body: HEAD.encode(storedHead(head)) },
  );
}

/** Stores what was applied after revision `applied.revision - 1`. Returns false if that revision is no longer stored. */
export function putApplied(store: ItemStore, pk: string, applied: Applied): Promise<boolean> {
  const { revision } = applied;
  return putRevised(
    store,
    { pk, sk: SORT.applied },
    { revision, body: APPLIED.encode(storedApplied(applied)) },
  );
}

function resultDocument(pk: string, revision: number, hash: string): { pk: string; name: string } {
  return { pk, name: `${RANGE.result}${sortableNumber(revision)}#${hash}` };
}

/** The text of a desired result. Its content has a codec of its own for each type of subject. */
export const RESULT = textCodec('result', z.custom<JsonValue>());

/** Stores a desired result under the revision that will name it. Returns the number of chunks. */
export function putResult(
  store: ItemStore,
  pk: string,
  result: { readonly revision: number; readonly hash: string; readonly text: string },
): Promise<number> {
  return putDocument(store, resultDocument(pk, result.revision, result.hash), result.text);
}

/** The key of a subject's desired result, for errors. */
export function resultKey(subject: Subject): ItemKey {
  return { pk: subjectPartition(subject), sk: RANGE.result };
}

/** Where a result is stored. */
export type ResultName = Pick<Head, 'hash' | 'resultRevision' | 'resultChunks'>;

/** Reads the desired result that a head names. Returns undefined if there is none, or if a later one has replaced it. */
export async function readResult(
  store: ItemStore,
  pk: string,
  name: ResultName,
): Promise<JsonValue | undefined> {
  const { hash, resultRevision, resultChunks } = name;
  if (hash === undefined || resultRevision === undefined || resultChunks === undefined)
    return undefined;
  const document = resultDocument(pk, resultRevision, hash);
  const text = await getDocument(store, document, resultChunks);
  if (text === undefined) return undefined;
  return RESULT.decode(text, { pk, sk: document.name });
}

/**
 * Removes the results of revisions before this head's. A process that still works on one of those revisions fails on its
 * condition. A reader finds that the result is missing and reads the head again.
 */
export function removeOldResults(store: ItemStore, pk: string, head: Head): Promise<void> {
  const current = resultDocument(pk, head.resultRevision ?? 0, head.hash ?? '').name;
  return removeDocuments(store, { pk, name: RANGE.result }, (name) => name < current);
}
