import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { Head } from '#shared/state/head.ts';
import { putNamed, readNamed, removeNamed } from '#shared/state/named-objects.ts';
import type { LoadedInputs } from './inputs.ts';

/** An entry that stood before a head was put, of an object that no Binding names. */
export interface ObsoleteEntry {
  readonly workload: WorkloadRef;
  readonly version: string;
}

/**
 * Keeps the entry by which lists find the objects that a Binding names (docs/architecture.md, section 5, "The protocol",
 * rule 2). If a Binding names the object and the head does not say that the entry exists, puts the entry. If none does, looks
 * for an entry that has to go. Called before the head is put.
 *
 * @returns the entry to remove after the head is put
 */
export async function keepNamed(
  store: ItemStore,
  workload: WorkloadRef,
  { head, inputs }: { readonly head: Head; readonly inputs: Pick<LoadedInputs, 'memberships'> },
): Promise<ObsoleteEntry | undefined> {
  if (inputs.memberships.length > 0) {
    if (head.named !== true) await putNamed(store, workload, head.revision + 1);
    return undefined;
  }
  const version = await readNamed(store, workload);
  return version === undefined ? undefined : { workload, version };
}

/** The field of the head that says that the entry exists. */
export function namedIn({ memberships }: Pick<LoadedInputs, 'memberships'>): Pick<Head, 'named'> {
  return memberships.length > 0 ? { named: true } : {};
}

/** Removes an entry after the head was put. If it was put again meanwhile, it has another version and stays. */
export async function dropNamed(store: ItemStore, entry: ObsoleteEntry | undefined): Promise<void> {
  if (entry !== undefined) await removeNamed(store, entry.workload, entry.version);
}
