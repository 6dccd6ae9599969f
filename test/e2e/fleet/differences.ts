import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openStateFile } from '#local/cli/state/state-file.ts';
import { FLEET_KINDS } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { readDifferences } from '#shared/state/fleet/differences.ts';
import { upstream } from './played.ts';

/** Differences of objects, by `<kind> <namespace>/<name>`. */
type Differences = Readonly<Record<string, unknown>>;

/** What a stack has stored of them in its state file. */
export async function storedDifferences(file: string): Promise<Differences> {
  const { store, close } = openStateFile(file);
  try {
    const { objects } = await readDifferences(store, upstream.name);
    return Object.fromEntries(
      objects.map(({ subject: { resource, namespace, name }, differences, total, refused }) => [
        `${FLEET_KINDS[resource]} ${namespace}/${name}`,
        { differences, total, ...(refused === undefined ? {} : { refused }) },
      ]),
    );
  } finally {
    close();
  }
}

/** Runs `starfold fleet diff` on a state file, which may be in use. */
export async function fleetDiff(file: string, ...options: readonly string[]) {
  const args = ['local/cli/starfold.ts', 'fleet', 'diff', '--state', file, ...options];
  const run = promisify(execFile)(process.execPath, args);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    // What execFile rejects with.
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** What {@link fleetDiff} prints as JSON. */
export function printedDifferences(stdout: string): Differences {
  const { objects }: { readonly objects: readonly JsonObject[] } = JSON.parse(stdout);
  return Object.fromEntries(
    objects.map(({ kind, namespace, name, differences, total }) => [
      `${kind} ${namespace}/${name}`,
      { differences, total },
    ]),
  );
}
