import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';

/** The user of this process. A container may have no name for the user. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}

/**
 * The name of an installation of the embedded stack in the clusters that it writes: user, machine and the absolute path
 * of its state file. It is not stored in the state, so an installation that has lost its state keeps its name.
 *
 * @param state path of the state file
 */
export function writerIdentity(state: string): string {
  return `${userName()}@${hostname()}:${resolve(state)}`;
}
