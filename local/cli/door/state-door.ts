import { openStateFile } from '#local/cli/state-file.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { createApiDoor } from './api-door.ts';
import type { Door } from './door.ts';
import { oneWds } from './one-wds.ts';

/** What is read of which state file. */
export interface StateDoorOptions {
  /** The path of the file. */
  readonly state: string;
  /** Default: the only one. */
  readonly wds?: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Opens a door to the state file of `starfold start`, which may run meanwhile. Nothing is written.
 *
 * @throws InputError if there is no such file, if it cannot be used, or if it is not clear which WDS is read
 */
export async function openStateDoor({ state, wds, clock }: StateDoorOptions): Promise<Door> {
  const { store, close } = openStateFile(state);
  try {
    const source = createStatusSource({ store, wds: await oneWds(store, wds, state), clock });
    return createApiDoor({ name: state, source, clock, watch: false, close });
  } catch (error) {
    close();
    throw error;
  }
}
