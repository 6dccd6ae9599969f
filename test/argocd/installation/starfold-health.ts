import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { at, isArray, type JsonObject, parseJson, textAt } from '#shared/core/json.ts';

const CLI = join(import.meta.dirname, '../../../local/cli/starfold.ts');

/** Objects as the API servers return them. */
export interface Exported {
  /** With the Bindings. */
  readonly wds: readonly JsonObject[];
  /** By the name of the WEC. */
  readonly wecs: ReadonlyMap<string, readonly JsonObject[]>;
}

/** Verdicts on one object, by cluster. */
export type VerdictsByCluster = Readonly<Record<string, string>>;

/**
 * What `starfold health` says of these objects in the WDS and in each WEC, by kind and name.
 *
 * @param folder where files may be put
 */
export async function starfoldHealth(
  folder: string,
  { wds, wecs }: Exported,
): Promise<ReadonlyMap<string, VerdictsByCluster>> {
  const fileOf = async (cluster: string, items: readonly JsonObject[]): Promise<string> => {
    const file = join(folder, `${cluster}.json`);
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return file;
  };
  const options = ['health', '--output', 'json', '--filename', await fileOf('wds', wds)];
  for (const [wec, items] of wecs) options.push('--wec', `${wec}=${await fileOf(wec, items)}`);
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...options]);
  const entries = parseJson(stdout);
  if (!isArray(entries)) throw new Error(`not what starfold health prints: ${stdout}`);
  return new Map(
    entries.map((entry) => {
      const ofWecs = at(entry, 'wecs');
      const pairs = (isArray(ofWecs) ? ofWecs : []).map((wec) => [
        textAt(wec, 'name'),
        textAt(wec, 'health', 'status'),
      ]);
      const verdicts = { ...Object.fromEntries(pairs), wds: textAt(entry, 'health', 'status') };
      return [`${textAt(entry, 'object', 'kind')} ${textAt(entry, 'object', 'name')}`, verdicts];
    }),
  );
}
