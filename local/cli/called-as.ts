import { basename } from 'node:path';

/** kubectl calls a plugin by this name, as `kubectl starfold` (Kubernetes, "Extend kubectl with plugins"). */
const PLUGIN = 'kubectl-starfold';

/**
 * How a user has called the command, for its help.
 *
 * @param script the path by which it was called
 */
export function calledAs(script: string): string {
  return basename(script).replace(/\.\w+$/, '') === PLUGIN ? 'kubectl starfold' : 'starfold';
}
