import { openStateFile } from '#local/cli/state/state-file.ts';
import type { Door } from './door.ts';
import { openTableDoor } from './table-door.ts';

/** What is read of which state file. */
export interface StateDoorOptions {
  /** The path of the file. */
  readonly state: string;
  /** The WDS, or the management cluster of Fleet. Default: the only WDS; without one, the only management cluster. */
  readonly wds?: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Opens a door to the state file of `starfold start`, which may run meanwhile. Nothing is written.
 *
 * @throws InputError if there is no such file, if it cannot be used, or if it is not clear what is read
 */
export async function openStateDoor({ state, wds, clock }: StateDoorOptions): Promise<Door> {
  const { store, close } = openStateFile(state);
  try {
    return await openTableDoor({ name: state, store, wanted: wds, clock, close });
  } catch (error) {
    close();
    throw error;
  }
}
