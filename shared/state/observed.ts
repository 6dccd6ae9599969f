import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, bodyCodec, encodeText } from '#shared/state/body.ts';
import { type Update, updateItem } from '#shared/state/compare-and-put.ts';
import { getDocument, putDocument, removeDocuments } from '#shared/state/document.ts';

/** Content up to so many bytes stands in the item itself, larger content in a document beside it. */
const INLINE_BYTES = 300 * 1024;

interface ObservedBody {
  /** The version with which the content last became what it is. */
  readonly contentVersion: string;
  readonly contentHash: string;
  /** Absent: deleted. */
  readonly content?: JsonValue;
  /** Chunks of the document that holds the content, where it is not in `content`. */
  readonly chunks?: number;
}

const OBSERVED = bodyCodec<ObservedBody>(
  'observed object',
  z.looseObject({
    contentVersion: z.string(),
    contentHash: z.string(),
    content: z.exactOptional(z.custom<JsonValue>()),
    chunks: z.exactOptional(z.number()),
  }),
);

/** What a source last said of an object. */
export interface Observed {
  readonly version: string;
  readonly contentVersion: string;
  readonly contentHash: string;
  /** `undefined`: deleted. */
  readonly content: JsonValue | undefined;
}

function documentOf(key: ItemKey, version: string): { pk: string; name: string } {
  return { pk: key.pk, name: `DOC#${key.sk}#${version}` };
}

async function readItem(store: ItemStore, item: Item): Promise<Observed | 'moved'> {
  const body = OBSERVED.decode(item);
  const { contentVersion } = body;
  const observed = { version: item.version ?? '', contentVersion, contentHash: body.contentHash };
  if (body.chunks === undefined) return { ...observed, content: body.content };
  const text = await getDocument(store, documentOf(item, contentVersion), body.chunks);
  return text === undefined ? 'moved' : { ...observed, content: parseJson(text) };
}

/** What was last said of each object, in the order of the keys; `undefined` where nothing was. */
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

/** How a write ended: it took effect, it had been written before, or something newer stands there. */
export type ObservedOutcome =
  | { readonly type: 'stored' | 'known'; readonly contentVersion: string }
  | { readonly type: 'older' };

interface Statement {
  readonly key: ItemKey;
  readonly version: string;
  /** `undefined`: deleted. */
  readonly content: JsonValue | undefined;
  readonly expiresAt?: number;
  /** Done before content is put where none stands. */
  readonly beforeFirst?: () => Promise<void>;
}

/** What stands for the hash of content that is none. */
const DELETED = 'deleted';

async function bodyFor(
  store: ItemStore,
  statement: Statement,
  base: { readonly contentHash: string; readonly contentVersion: string },
): Promise<ObservedBody> {
  const { content, key } = statement;
  if (content === undefined) return base;
  const text = stringifyJson(content);
  if (bodyBytes(encodeText(text)) <= INLINE_BYTES) return { ...base, content };
  const chunks = await putDocument(store, documentOf(key, base.contentVersion), text);
  return { ...base, chunks };
}

/** Whether content comes where none stands. */
function isFirst({ content }: Statement, stored: ObservedBody | undefined): boolean {
  return content !== undefined && (stored?.contentHash ?? DELETED) === DELETED;
}

/** What a statement makes of what is stored. */
async function replacement(
  store: ItemStore,
  statement: Statement,
  stored: ObservedBody | undefined,
): Promise<{ readonly item: Item; readonly body: ObservedBody; readonly isNew: boolean }> {
  const { key, version, content, expiresAt } = statement;
  const hash = content === undefined ? DELETED : contentHash(stringifyJson(content));
  const isNew = stored?.contentHash !== hash;
  const body =
    stored === undefined || isNew
      ? await bodyFor(store, statement, { contentHash: hash, contentVersion: version })
      : stored;
  const item = { ...key, version, body: OBSERVED.encode(body) };
  return { item: expiresAt === undefined ? item : { ...item, expiresAt }, body, isNew };
}

/** How a write ended, and whether a document of former content stands beside it. */
interface Written {
  readonly outcome: ObservedOutcome;
  readonly isOutdated?: boolean;
}

/** What becomes of an item when a statement comes. */
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
 * Records what a source says of an object, if it is newer than what it said before. Keeps the version at which the
 * content last changed, so that a reader can tell an event that changed nothing from one that did.
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
