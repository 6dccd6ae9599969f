import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import { assetFolder } from './assets.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..');

/** The folder of the forwarder's chart. */
export const CHART = join(repository, 'infra/charts/event-forwarder');
/** The folder of the chart of the whole of Starfold. */
export const STARFOLD_CHART = join(repository, 'infra/charts/starfold');

let folder: Promise<string> | undefined;

/** The folder with helm (infra/local/kube-assets/build-helm.sh). */
export function helmFolder(): Promise<string> {
  const without = 'helm: set HELM_ASSETS to a folder with it';
  folder ??= assetFolder({ script: 'build-helm.sh', without });
  return folder;
}

/**
 * Runs helm and returns what it prints.
 *
 * @throws Error with its messages when it fails.
 */
export async function helm(...args: readonly string[]): Promise<string> {
  const options = { maxBuffer: 16 * 1024 * 1024 };
  return (await run(join(await helmFolder(), 'helm'), [...args], options)).stdout;
}

/** The documented sets of values of a chart: `<name>` of `ci/<name>-values.yaml`. */
export function valueSets(chart = CHART): readonly string[] {
  return readdirSync(join(chart, 'ci')).map((file) => basename(file, '-values.yaml'));
}

/** The file of a documented set of values. */
export function valuesFile(set: string, chart = CHART): string {
  return join(chart, 'ci', `${set}-values.yaml`);
}

/** The objects of a text of YAML documents, as JSON values. */
export function objectsOf(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((document) => parseJson(JSON.stringify(document.toJS())))
    .filter((object) => object !== null) as JsonObject[];
}
