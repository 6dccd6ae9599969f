import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, decodeText, encodeText } from '#shared/state/body.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** The maximum of a body in one item. The rest of DynamoDB's 400 KB is for keys and attribute names. */
const CHUNK_BYTES = 360 * 1024;

/** The name of a text that is stored in as many items as it needs. The text never changes: other content has another name. */
export interface DocumentName {
  readonly pk: string;
  /** The sort keys are `<name>#<chunk>`. */
  readonly name: string;
}

function chunkKey(document: DocumentName, index: number): { pk: string; sk: string } {
  return { pk: document.pk, sk: `${document.name}#${String(index).padStart(4, '0')}` };
}

/** Stores a text under a name, in chunks. Returns the number of chunks. Storing the same text again changes nothing. */
export async function putDocument(
  store: ItemStore,
  document: DocumentName,
  text: string,
): Promise<number> {
  const body = encodeText(text);
  if (bodyBytes(body) <= CHUNK_BYTES) {
    await store.put([{ item: { ...chunkKey(document, 0), body } }]);
    return 1;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
    chunks.push(bytes.subarray(from, from + CHUNK_BYTES));
  const plain = typeof body === 'string';
  await store.put(
    chunks.map((chunk, index) => ({
      item: { ...chunkKey(document, index), body: chunk, version: plain ? 'plain' : 'deflate' },
    })),
  );
  return chunks.length;
}

/** Reads the text of a document. Returns undefined if a chunk is missing, because the document was removed. */
export async function getDocument(
  store: ItemStore,
  document: DocumentName,
  chunks: number,
): Promise<string | undefined> {
  const keys = Array.from({ length: chunks }, (_, index) => chunkKey(document, index));
  const items = await store.get(keys);
  const bodies: (string | Uint8Array)[] = [];
  for (const item of items) {
    if (item?.body === undefined) return undefined;
    bodies.push(item.body);
  }
  const [first] = bodies;
  if (bodies.length === 1 && first !== undefined) return decodeText(first);
  const bytes = Buffer.concat(bodies.map((body) => Buffer.from(body as Uint8Array)));
  return items[0]?.version === 'plain' ? bytes.toString('utf8') : decodeText(bytes);
}

/** Removes the documents of a partition whose name has a prefix and is obsolete. */
export async function removeDocuments(
  store: ItemStore,
  prefix: DocumentName,
  isObsolete: (name: string) => boolean,
): Promise<void> {
  for await (const items of pages(store, range(prefix.pk, prefix.name))) {
    const obsolete = items.filter((item) => isObsolete(item.sk.slice(0, -5)));
    if (obsolete.length > 0)
      await store.delete(obsolete.map(({ pk, sk }) => ({ key: { pk, sk } })));
  }
}
