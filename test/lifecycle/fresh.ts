import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Evaluated, evaluate } from '#local/cli/eval/evaluate.ts';
import { withResolvedPolicies } from '#local/cli/eval/resolve-policies.ts';
import type { ReadFile } from '#local/cli/input/read-files.ts';
import { readWdsInput } from '#local/cli/input/wds-input.ts';
import { readReports } from '#local/cli/input/wec-reports.ts';
import { textsOf } from '#local/cli/terminal/print.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { Export } from './export.ts';

const SCHEMAS = createBuiltInSchemas();
const COMMAND = fileURLToPath(new URL('../../local/cli/starfold.ts', import.meta.url));
const WDS = 'wds1';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Whether a Binding was made from a BindingPolicy, so that the policy has to yield it. */
export function isOfPolicy(object: JsonObject): boolean {
  if (object['kind'] !== 'Binding') return false;
  const owners = at(object, 'metadata', 'ownerReferences');
  return Array.isArray(owners) && owners.some((owner) => at(owner, 'kind') === 'BindingPolicy');
}

/** The objects of some files, by the name of the file. */
type Files = Readonly<Record<string, readonly JsonObject[]>>;

/** What the command is given. */
interface Given {
  /** The WDS and its inventory. */
  readonly files: Files;
  /** By WEC. */
  readonly wecs: Files;
}

function readFile(name: string, objects: readonly JsonObject[]): ReadFile {
  const documents = objects.map((value, index) => ({ number: index + 1, value }));
  return { file: name, documents };
}

const ignore = (): void => {};

function inputOf({ files, wecs }: Given) {
  const read = readWdsInput(
    Object.entries(files).map(([name, objects]) => readFile(name, objects)),
    ignore,
  );
  const said = Object.entries(wecs).map(([wec, objects]) => ({
    wec,
    files: [readFile(wec, objects)],
  }));
  const reports = readReports({ input: read, wecs: said, wds: WDS }, ignore);
  return { input: withResolvedPolicies(read, Object.keys(wecs)), reports };
}

/** The files without the Bindings that policies yield. */
function givenFor(exported: Export): Given {
  const { wds, inventory } = exported;
  const wecs = Object.fromEntries(exported.wecs.map(({ wec, objects }) => [wec, objects]));
  const own = wds.filter((object) => !isOfPolicy(object));
  return { files: { wds: own, inventory }, wecs };
}

/**
 * What `starfold eval` makes of an export, without starting the command.
 *
 * @param nowMs milliseconds since the epoch
 */
export function evaluateExport(exported: Export, nowMs: number): Promise<Evaluated> {
  const { input, reports } = inputOf(givenFor(exported));
  return evaluate({ input, reports, downstream: new Map(), schemas: SCHEMAS, wds: WDS, nowMs });
}

function listText(objects: readonly JsonObject[]): string {
  return [...textsOf(objects, 'json')].join('');
}

async function run(folder: string, { files, wecs }: Given, nowMs: number): Promise<string> {
  const write = (name: string, objects: readonly JsonObject[]): string => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, listText(objects));
    return path;
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...[COMMAND, 'eval', '-o', 'json', '--wds', WDS, '--now', new Date(nowMs).toISOString()],
      ...Object.entries(files).flatMap(([name, objects]) => ['-f', write(name, objects)]),
      ...Object.entries(wecs).flatMap(([wec, objects]) => [
        '--wec',
        `${wec}=${write(wec, objects)}`,
      ]),
    ],
    { maxBuffer: MAX_OUTPUT_BYTES },
  );
  return stdout;
}

/** What the command itself prints for an export, and what is compared with the WDS in its place. */
export async function printedTwice(
  exported: Export,
  nowMs: number,
): Promise<{ readonly command: string; readonly inProcess: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-eval-'));
  try {
    const command = await run(folder, givenFor(exported), nowMs);
    const { objects } = await evaluateExport(exported, nowMs);
    return { command, inProcess: listText(objects) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
