import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';

/** Who runs this process; a container may have no name for it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}

/**
 * What an installation of the embedded stack is called in the clusters that it writes: user, machine and the absolute path of
 * its state file. It is not stored there, so an installation that has lost its state is still the same one.
 *
 * @param state path of the state file
 */
export function writerIdentity(state: string): string {
  return `${userName()}@${hostname()}:${resolve(state)}`;
}
