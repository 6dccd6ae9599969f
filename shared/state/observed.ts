import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, bodyCodec, encodeText } from '#shared/state/body.ts';
import { type Update, updateItem } from '#shared/state/compare-and-put.ts';
import { getDocument, putDocument, removeDocuments } from '#shared/state/document.ts';
import { looseObject } from '#shared/state/loose-object.ts';

/** Up to this size, content is stored in the item itself. Larger content is stored in a document beside it. */
const INLINE_BYTES = 300 * 1024;

interface ObservedBody {
  /** The version in which the content last changed. */
  readonly contentVersion: string;
  readonly contentHash: string;
  /** Absent if the object is deleted, or if `chunks` is present. */
  readonly content?: JsonValue;
  /** The number of chunks of the document with the content, if the content is not in `content`. */
  readonly chunks?: number;
  /** {@link Observed.found} */
  readonly found?: string;
}

const OBSERVED = bodyCodec<ObservedBody>(
  'observed object',
  looseObject({
    contentVersion: z.string(),
    contentHash: z.string(),
    content: z.exactOptional(z.custom<JsonValue>()),
    chunks: z.exactOptional(z.number()),
    found: z.exactOptional(z.string()),
  }),
);

/** A source's last report about an object. */
export interface Observed {
  readonly version: string;
  readonly contentVersion: string;
  readonly contentHash: string;
  /** undefined if the object is deleted. */
  readonly content: JsonValue | undefined;
  /** What the last complete listing, or the first report, found besides the content. */
  readonly found?: string;
}

function documentOf(key: ItemKey, version: string): { pk: string; name: string } {
  return { pk: key.pk, name: `DOC#${key.sk}#${version}` };
}

async function readItem(store: ItemStore, item: Item): Promise<Observed | 'moved'> {
  const body = OBSERVED.decode(item);
  const { contentVersion } = body;
  const { contentHash: hash, found } = body;
  const observed = {
    version: item.version ?? '',
    contentVersion,
    contentHash: hash,
    ...(found === undefined ? {} : { found }),
  };
  if (body.chunks === undefined) return { ...observed, content: body.content };
  const text = await getDocument(store, documentOf(item, contentVersion), body.chunks);
  return text === undefined ? 'moved' : { ...observed, content: parseJson(text) };
}

/** Reads the last report about each object, in the order of the keys; undefined if there is none. */
export async function readObserved(
  store: ItemStore,
  keys: readonly ItemKey[],
): Promise<readonly (Observed | undefined)[]> {
  const items = await store.get(keys);
  return Promise.all(
    items.map(async (item, index) => {
      if (item === undefined) return undefined;
      const observed = await readItem(store, item);
      if (observed !== 'moved') return observed;
      const key = keys[index];
      return key === undefined ? undefined : (await readObserved(store, [key]))[0];
    }),
  );
}

/** The outcome of a write: it took effect, it had been written before, or something newer is stored. */
export type ObservedOutcome =
  | { readonly type: 'stored' | 'known'; readonly contentVersion: string }
  | { readonly type: 'older' };

interface Statement {
  readonly key: ItemKey;
  readonly version: string;
  /** undefined if the object is deleted. */
  readonly content: JsonValue | undefined;
  readonly expiresAt?: number;
  /**
   * Says what is kept beside the content, until the object is deleted or something else is found. It is asked if the source lists the
   * object, or if nothing was ever stored of it. So a repeated event of an earlier state does not prevent that.
   */
  readonly found?: () => string | undefined;
  /** Whether the source lists the object. */
  readonly isListed?: boolean;
  /** Called before content is put if there is none yet. */
  readonly beforeFirst?: () => Promise<void>;
}

/** The content hash of a deleted object. */
const DELETED = 'deleted';

async function bodyFor(
  store: ItemStore,
  statement: Statement,
  base: Pick<ObservedBody, 'contentHash' | 'contentVersion' | 'found'>,
): Promise<ObservedBody> {
  const { content, key } = statement;
  if (content === undefined) return base;
  const text = stringifyJson(content);
  if (bodyBytes(encodeText(text)) <= INLINE_BYTES) return { ...base, content };
  const chunks = await putDocument(store, documentOf(key, base.contentVersion), text);
  return { ...base, chunks };
}

/** Whether the statement has content and there is none yet. */
function isFirst({ content }: Statement, stored: ObservedBody | undefined): boolean {
  return content !== undefined && (stored?.contentHash ?? DELETED) === DELETED;
}

/** The item that a statement puts, computed from the stored body. */
async function replacement(
  store: ItemStore,
  statement: Statement,
  stored: ObservedBody | undefined,
): Promise<{ readonly item: Item; readonly body: ObservedBody; readonly isNew: boolean }> {
  const { key, version, content, expiresAt } = statement;
  const isAsked = stored === undefined || statement.isListed === true;
  const found = (isAsked ? statement.found?.() : undefined) ?? stored?.found;
  const kept = content === undefined || found === undefined ? {} : { found };
  const hash = content === undefined ? DELETED : contentHash(stringifyJson(content));
  const isNew = stored?.contentHash !== hash;
  const body =
    stored === undefined || isNew
      ? await bodyFor(store, statement, { contentHash: hash, contentVersion: version, ...kept })
      : { ...stored, ...kept };
  const item = { ...key, version, body: OBSERVED.encode(body) };
  return { item: expiresAt === undefined ? item : { ...item, expiresAt }, body, isNew };
}

/** The outcome of a write, and whether an outdated document is stored beside the item. */
interface Written {
  readonly outcome: ObservedOutcome;
  readonly isOutdated?: boolean;
}

/** The update of an item by a statement. */
async function updateBy(
  store: ItemStore,
  statement: Statement,
  item: Item | undefined,
): Promise<Update<Written>> {
  const { version } = statement;
  const before = item?.version ?? '';
  if (item !== undefined && before > version) return { result: { outcome: { type: 'older' } } };
  const stored = item && OBSERVED.decode(item);
  if (stored !== undefined && before === version)
    return { result: { outcome: { type: 'known', contentVersion: stored.contentVersion } } };
  if (isFirst(statement, stored)) await statement.beforeFirst?.();
  const next = await replacement(store, statement, stored);
  const outcome = { type: 'stored', contentVersion: next.body.contentVersion } as const;
  const isOutdated = next.isNew && stored?.chunks !== undefined;
  return { item: next.item, result: { outcome, isOutdated } };
}

/**
 * Records what a source reports about an object, if it is newer than the stored report. The item keeps the version at which the
 * content last changed. So a reader can distinguish an event that changed nothing from one that did.
 */
export async function writeObserved(
  store: ItemStore,
  statement: Statement,
): Promise<ObservedOutcome> {
  const { key, version } = statement;
  const { outcome, isOutdated } = await updateItem(store, key, (item) =>
    updateBy(store, statement, item),
  );
  const current = documentOf(key, version).name;
  if (isOutdated === true)
    await removeDocuments(store, documentOf(key, ''), (name) => name < current);
  return outcome;
}
