import type { ItemKey } from '#shared/ports/item-store.ts';
import type { AggregateDeps } from './deps.ts';

/**
 * Puts the entries under which what a Binding uses finds the Binding. They are put before it is read: whatever changes
 * later is told to the Binding, and whatever changed before is read.
 */
export async function indexBinding(deps: AggregateDeps, keys: readonly ItemKey[]): Promise<void> {
  if (keys.length === 0) return;
  const present = await deps.store.get(keys);
  const missing = keys.filter((_key, index) => present[index] === undefined);
  if (missing.length > 0) await deps.store.put(missing.map((item) => ({ item })));
}
