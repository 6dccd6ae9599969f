import { InputError } from '#local/cli/terminal/cli-error.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { noWdsYet, severalWdses, unknownWds } from './messages.ts';

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
  if (first === undefined) throw new InputError(noWdsYet(place));
  if (wanted !== undefined && !names.includes(wanted)) {
    const near = nearestName(wanted, names);
    throw new InputError(unknownWds(place, wanted, { names, near }));
  }
  if (wanted === undefined && second !== undefined)
    throw new InputError(severalWdses(place, names));
  return wanted ?? first;
}
