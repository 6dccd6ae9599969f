import type { Terminal } from '#local/cli/terminal.ts';
import type { Door } from './door.ts';
import { checkDoorOptions, type DoorOptions } from './options.ts';

/**
 * Opens the door that the options name: by default the live one. What a door needs is loaded only if it is used.
 *
 * @throws UsageError for options that contradict each other; InputError if the door cannot be opened
 */
export async function openDoor(
  options: DoorOptions,
  terminal: Pick<Terminal, 'clock'>,
): Promise<Door> {
  checkDoorOptions(options);
  const { state } = options;
  if (state !== undefined) {
    const { openStateDoor } = await import('./state-door.ts');
    return openStateDoor({ ...options, state, clock: () => terminal.clock() });
  }
  const { openLiveDoor } = await import('./live-door.ts');
  return openLiveDoor(options);
}
