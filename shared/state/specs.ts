import { contentHash } from '#shared/content-hash.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, encodeText } from '#shared/state/body.ts';
import { getDocument, putDocument } from '#shared/state/document.ts';

const MAX_REMEMBERED = 10_000;
/** A larger spec (compressed) is not stored: its WEC then counts as lagging unless it names its source generation. */
const MAX_SPEC_BYTES = 350 * 1024;

/**
 * The specs seen in WECs, each stored once under its content hash, however many WECs have it. What is in the store
 * never changes, so a process remembers what it has seen.
 */
export interface SpecStore {
  /** Stores specs that are new; returns their hashes, in order. */
  put(specs: readonly JsonValue[]): Promise<readonly string[]>;
  /** The specs of these hashes. A hash that is not stored is left out. */
  get(hashes: Iterable<string>): Promise<ReadonlyMap<string, JsonValue>>;
}

function documentOf(hash: string): { pk: string; name: string } {
  return { pk: `S#${hash}`, name: 'SPEC' };
}

/** Specs in an item store. */
export function createSpecStore(store: ItemStore): SpecStore {
  const remembered = new Map<string, JsonValue>();
  const remember = (hash: string, spec: JsonValue): void => {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(hash, spec);
  };
  return {
    async put(specs) {
      const hashes: string[] = [];
      for (const spec of specs) {
        const text = stringifyJson(spec);
        const hash = contentHash(text);
        if (!remembered.has(hash) && bodyBytes(encodeText(text)) <= MAX_SPEC_BYTES) {
          await putDocument(store, documentOf(hash), text);
          remember(hash, spec);
        }
        hashes.push(hash);
      }
      return hashes;
    },
    async get(hashes) {
      const specs = new Map<string, JsonValue>();
      for (const hash of new Set(hashes)) {
        const known = remembered.get(hash);
        const spec = known ?? (await read(store, hash));
        if (spec === undefined) continue;
        remember(hash, spec);
        specs.set(hash, spec);
      }
      return specs;
    },
  };
}

async function read(store: ItemStore, hash: string): Promise<JsonValue | undefined> {
  const text = await getDocument(store, documentOf(hash), 1);
  return text === undefined ? undefined : parseJson(text);
}
