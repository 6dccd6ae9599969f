import { InputError } from '#local/cli/cli-error.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';

/**
 * The WDS of a table that is read: the requested one, otherwise the only one.
 *
 * @param place the table, for messages
 * @throws InputError if it has none, no such one, or several
 */
export async function oneWds(
  store: ItemStore,
  wanted: string | undefined,
  place: string,
): Promise<string> {
  const heard = await readSourceHeartbeats(store, 'wds');
  const names = heard.map(({ name }) => name);
  const [first, second] = names;
  if (first === undefined)
    throw new InputError(
      `${place} knows no WDS yet: wait until the forwarder of a WDS has reported, or name another place`,
    );
  if (wanted !== undefined && !names.includes(wanted)) {
    const near = nearestName(wanted, names);
    const hint = near === undefined ? `use one of: ${names.join(', ')}` : `did you mean ${near}?`;
    throw new InputError(`${place} has no WDS ${wanted}: ${hint}`);
  }
  if (wanted === undefined && second !== undefined)
    throw new InputError(`${place} has several WDSes: give --wds, one of: ${names.join(', ')}`);
  return wanted ?? first;
}
