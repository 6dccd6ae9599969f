import type { ItemKey } from '#shared/ports/item-store.ts';
import type { AggregateDeps } from './deps.ts';

/**
 * Puts the entries that lead from the things that a Binding uses to the Binding. They are put before those things are read. So
 * the Binding is notified of every later change, and reads every earlier one.
 */
export async function indexBinding(deps: AggregateDeps, keys: readonly ItemKey[]): Promise<void> {
  if (keys.length === 0) return;
  const present = await deps.store.get(keys);
  const missing = keys.filter((_key, index) => present[index] === undefined);
  if (missing.length > 0) await deps.store.put(missing.map((item) => ({ item })));
}
