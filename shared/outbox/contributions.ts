import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { stringifyJson } from '#shared/core/json.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import type { PlacedRow } from '#shared/state/fleet/placed-object.ts';
import { deliverRows } from './noted-rows.ts';

const SORT_KEY = 'CONTRIBUTED';

/** The hashes of the rows that a subject has below others, by key; `''` if unknown. */
type Contributed = Readonly<Record<string, string>>;

const CONTRIBUTED = bodyCodec<Contributed>(
  'note of contributions',
  z.record(z.string(), z.string()),
);

function textOf({ pk, sk }: ItemKey): string {
  return `${pk}|${sk}`;
}

function keyOf(text: string): ItemKey {
  const separator = text.indexOf('|');
  return { pk: text.slice(0, separator), sk: text.slice(separator + 1) };
}

/** The rows that an aggregation puts below other subjects. */
export interface Contributing {
  /** The partition of the subject that contributes. */
  readonly pk: string;
  /** The revision that the aggregation has stored. */
  readonly revision: number;
  readonly wanted: readonly PlacedRow[];
  readonly nowMs: number;
  /** Notifies the subjects whose rows have changed. */
  readonly notify: (keys: readonly ItemKey[]) => Promise<void>;
}

/**
 * Puts the rows that have changed, and tombstones for rows that are no longer wanted, and notifies the subjects that have these
 * rows ({@link deliverRows}).
 *
 * @returns false if another aggregation contributes: start again.
 */
export function contribute(store: ItemStore, what: Contributing): Promise<boolean> {
  const { pk, wanted, ...delivery } = what;
  const hashes = new Map(
    wanted.map(({ key, body }) => [textOf(key), contentHash(stringifyJson(body))]),
  );
  const bodies = new Map(wanted.map(({ key, body }) => [textOf(key), body]));
  return deliverRows<Contributed>(store, {
    ...delivery,
    key: { pk, sk: SORT_KEY },
    codec: CONTRIBUTED,
    changes(noted = {}) {
      const all = new Set([...Object.keys(noted), ...hashes.keys()]);
      const changed = [...all].filter((key) => noted[key] !== hashes.get(key)).sort();
      if (changed.length === 0) return 'none';
      return {
        rows: changed.map((key) => ({ key: keyOf(key), body: bodies.get(key) })),
        pending: { ...noted, ...Object.fromEntries(changed.map((key) => [key, ''])) },
        done: Object.fromEntries(hashes),
      };
    },
  });
}
