import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type JsonObject, parseJson } from '#shared/core/json.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..', '..');
const BUILD_TIMEOUT_MS = 20 * 60_000;

/** The folder of the forwarder's chart. */
export const CHART = join(repository, 'infra/charts/event-forwarder');

let binary: Promise<string> | undefined;

async function findHelm(): Promise<string> {
  const script = join(repository, 'infra/local/kube-assets/build-helm.sh');
  const { stdout } = await run('bash', [script], { timeout: BUILD_TIMEOUT_MS });
  return join(stdout.trim(), 'helm');
}

/**
 * Runs helm (infra/local/kube-assets/build-helm.sh) and returns what it prints.
 *
 * @throws Error with its messages when it fails.
 */
export async function helm(...args: readonly string[]): Promise<string> {
  binary ??= findHelm();
  return (await run(await binary, [...args], { maxBuffer: 16 * 1024 * 1024 })).stdout;
}

/** The documented sets of values: `<name>` of `ci/<name>-values.yaml`. */
export function valueSets(): readonly string[] {
  return readdirSync(join(CHART, 'ci')).map((file) => basename(file, '-values.yaml'));
}

/** The file of a documented set of values. */
export function valuesFile(set: string): string {
  return join(CHART, 'ci', `${set}-values.yaml`);
}

/** The objects of a text of YAML documents, as JSON values. */
export function objectsOf(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((document) => parseJson(JSON.stringify(document.toJS())))
    .filter((object) => object !== null) as JsonObject[];
}
