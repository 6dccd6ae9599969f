import { LRUCache } from 'lru-cache';
import { contentHash } from '#shared/content-hash.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, encodeText } from '#shared/state/body.ts';
import { getDocument, putDocument } from '#shared/state/document.ts';

/** The amount of JSON text of specs that a process caches. */
const MAX_REMEMBERED_CHARACTERS = 32 * 1024 * 1024;
/** A larger spec (compressed) is not stored. Its WEC then counts as lagging unless it reports its source generation. */
const MAX_SPEC_BYTES = 350 * 1024;

/**
 * The specs of objects in WECs. Each spec is stored once under its content hash, however many WECs have it. Stored specs never
 * change, so a process caches them. They have no version: what is stored is the spec of a user's object, which may have any fields, and
 * the hash says what it is. Another form would need another partition.
 */
export interface SpecStore {
  /** Stores new specs, and returns the hashes of all specs in order. */
  put(specs: readonly JsonValue[]): Promise<readonly string[]>;
  /** Reads the specs of hashes. A hash that is not stored is left out. */
  get(hashes: Iterable<string>): Promise<ReadonlyMap<string, JsonValue>>;
}

interface CachedSpec {
  readonly spec: JsonValue;
  /** The length of its JSON text. */
  readonly characters: number;
}

function documentOf(hash: string): { pk: string; name: string } {
  return { pk: `S#${hash}`, name: 'SPEC' };
}

/** Creates the specs in an item store. */
export function createSpecStore(store: ItemStore): SpecStore {
  const remembered = new LRUCache<string, CachedSpec>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: ({ characters }) => characters,
  });
  const read = async (hash: string): Promise<CachedSpec | undefined> => {
    const text = await getDocument(store, documentOf(hash), 1);
    if (text === undefined) return undefined;
    const cached = { spec: parseJson(text), characters: text.length };
    remembered.set(hash, cached);
    return cached;
  };
  return {
    async put(specs) {
      const hashes: string[] = [];
      for (const spec of specs) {
        const text = stringifyJson(spec);
        const hash = contentHash(text);
        if (!remembered.has(hash) && bodyBytes(encodeText(text)) <= MAX_SPEC_BYTES) {
          await putDocument(store, documentOf(hash), text);
          remembered.set(hash, { spec, characters: text.length });
        }
        hashes.push(hash);
      }
      return hashes;
    },
    async get(hashes) {
      const specs = new Map<string, JsonValue>();
      for (const hash of new Set(hashes)) {
        const cached = remembered.get(hash) ?? (await read(hash));
        if (cached !== undefined) specs.set(hash, cached.spec);
      }
      return specs;
    },
  };
}
