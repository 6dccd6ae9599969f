import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPTS = join(import.meta.dirname, '..', '..', 'infra/local/kube-assets');
const BUILD_TIMEOUT_MS = 40 * 60_000;

/** A script of infra/local/kube-assets that finds or builds programs. */
export interface AssetScript {
  readonly script: `build-${'kube' | 'kwok' | 'helm' | 'argocd' | 'informer'}.sh`;
  /** `NAME=value` of the environment. */
  readonly variables?: readonly string[];
  /** What the programs are, and how they can be given, for the message. */
  readonly without: string;
}

/**
 * The folder that a script prints. What the script says goes to standard error.
 *
 * @throws Error when the programs cannot be had: the suite fails, it never skips.
 */
export async function assetFolder(asset: AssetScript): Promise<string> {
  const { script, variables = [], without } = asset;
  const args = [...variables, 'bash', join(SCRIPTS, script)];
  const run = promisify(execFile)('env', args, { timeout: BUILD_TIMEOUT_MS });
  run.child.stderr?.pipe(process.stderr);
  try {
    return (await run).stdout.trim();
  } catch (cause) {
    throw new Error(
      `this needs ${without}, or let infra/local/kube-assets/${script} build them (see its message above)`,
      { cause },
    );
  }
}
