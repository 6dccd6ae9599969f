import { type Command, InvalidArgumentError, Option } from 'commander';
import { misspeltFields } from '#local/cli/input/fleet-fields.ts';
import { type GivenObject, givenObjects } from '#local/cli/input/given-objects.ts';
import { NO_OBJECT } from '#local/cli/input/messages.ts';
import { type ReadFile, readFiles } from '#local/cli/input/read-files.ts';
import { emptyCluster } from '#local/cli/input/report-messages.ts';
import { unusedLabels } from '#local/cli/input/unused-labels.ts';
import { readWdsInput } from '#local/cli/input/wds-input.ts';
import { readReports, reportingWecs, type WecFiles } from '#local/cli/input/wec-reports.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import {
  notACluster,
  ONE_STANDARD_INPUT,
  TIME_FORM,
  WEC_FORM,
} from '#local/cli/terminal/option-messages.ts';
import { showComputing } from '#local/cli/terminal/progress.ts';
import { addRequiredOption } from '#local/cli/terminal/required-option.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { parseTimestamp } from '#shared/core/expression/time.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import type { Evaluation } from './evaluate.ts';
import { withResolvedPolicies } from './resolve-policies.ts';

/** The schemas of the built-in kinds. Their code is loaded when one is requested, which few commands do. */
function createLazySchemas(): SchemaSource {
  let source: Promise<SchemaSource> | undefined;
  return {
    async find(resource) {
      source ??= import('#shared/adapters/kubernetes/built-in-schemas.ts').then((module) =>
        module.createBuiltInSchemas(),
      );
      return (await source).find(resource);
    },
  };
}

/** The user's options for the objects. */
export interface ObjectOptions {
  readonly filename: readonly string[];
  readonly wec?: readonly WecOption[];
  readonly wds?: string;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

interface WecOption {
  readonly wec: string;
  readonly file: string;
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const DEFAULT_WDS = 'wds';

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function collectWec(value: string, before: readonly WecOption[] = []): readonly WecOption[] {
  const separator = value.indexOf('=');
  const [wec, file] = [value.slice(0, separator), value.slice(separator + 1)];
  if (separator < 1 || file === '') throw new InvalidArgumentError(WEC_FORM);
  if (wec.split('/').some((part) => part === '') || wec.split('/').length > 2)
    throw new InvalidArgumentError(notACluster(wec));
  return [...before, { wec, file }];
}

/** Whether the date exists. `Date.parse` reads 30 February as 2 March. */
function exists(time: string): boolean {
  return typeof parseTimestamp(time.toUpperCase().replace(' ', 'T')) !== 'string';
}

function parseNow(value: string): number {
  const milliseconds = RFC_3339.test(value) && exists(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new InvalidArgumentError(TIME_FORM);
  return milliseconds;
}

/** The option for the files of the WDS. */
export function filenameOption(): Option {
  return new Option(
    '-f, --filename <path>',
    'the WDS and its inventory: a file of YAML or JSON, a folder, or - for standard input; repeatable',
  ).argParser(collect);
}

/** Adds the options that only have a meaning with files. */
export function addReportOptions(command: Command): Command {
  return command
    .option(
      '--wec <name=file>',
      "objects as this WEC's API server returns them, or (namespace/name=file) that of a Fleet Cluster; repeatable, also for one cluster",
      collectWec,
    )
    .option(
      '--now <time>',
      'the time that counts as now, RFC 3339 (default: the current time)',
      parseNow,
    );
}

/** Adds the options for the objects. */
export function addObjectOptions(command: Command): Command {
  return addReportOptions(addRequiredOption(command, filenameOption())).option(
    '--wds <name>',
    'leave out WorkStatuses whose label names a different WDS',
  );
}

async function readWecs(
  options: readonly WecOption[],
  terminal: Terminal,
): Promise<readonly WecFiles[]> {
  const files = new Map<string, ReadFile[]>();
  for (const { wec, file } of options)
    files.set(wec, [...(files.get(wec) ?? []), ...(await readFiles(file, terminal))]);
  return [...files].map(([wec, read]) => ({ wec, files: read }));
}

/** Fleet's Clusters are in namespaces, and the name of a WEC never contains a slash. */
function isFleetCluster(wec: string): boolean {
  return wec.includes('/');
}

/** @throws InputError if there are no objects: an empty cluster must be given explicitly */
function downstreamObjects({ wec, files }: WecFiles): readonly GivenObject[] {
  if (files.every(({ documents }) => documents.length === 0))
    throw new InputError(emptyCluster(wec));
  return givenObjects(files);
}

/** The schemas are loaded only if needed, because most commands do not use Fleet. */
async function checkFleet(
  objects: readonly GivenObject[],
  notice: (text: string) => void,
): Promise<void> {
  if (objects.length === 0) return;
  const { checkFleetObject } = await import('#local/cli/input/fleet-faults.ts');
  for (const given of objects) checkFleetObject(given);
  for (const text of objects.flatMap(misspeltFields)) notice(text);
}

function checkStdin({ filename, wec = [] }: ObjectOptions): void {
  const paths = [...filename, ...wec.map(({ file }) => file)];
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError(ONE_STANDARD_INPUT);
}

/** The input of an evaluation, as it was read. */
export interface ReadEvaluation extends Evaluation {
  /** The files that were given for each WEC with `--wec`. */
  readonly wecs: readonly WecFiles[];
  /** Whether anything is given for WECs. Objects of Fleet's clusters do not count. */
  readonly hasReports: boolean;
}

/**
 * Reads the files that the options name.
 *
 * @throws InputError for invalid input; UsageError for options that contradict each other
 */
export async function readEvaluation(
  options: ObjectOptions,
  terminal: Terminal,
): Promise<ReadEvaluation> {
  checkStdin(options);
  const { wds, now } = options;
  const notice = (text: string): void => terminal.notice(text);
  const files: ReadFile[] = [];
  for (const path of options.filename) files.push(...(await readFiles(path, terminal)));
  if (files.every(({ documents }) => documents.length === 0))
    throw new InputError(`${options.filename.join(', ')}: ${NO_OBJECT}`);
  const read = readWdsInput(files, notice);
  for (const text of read.clusters.flatMap(unusedLabels)) notice(text);
  await checkFleet(read.fleet, notice);
  const all = await readWecs(options.wec ?? [], terminal);
  const wecs = all.filter(({ wec }) => !isFleetCluster(wec));
  const downstream = all
    .filter(({ wec }) => isFleetCluster(wec))
    .map((cluster) => [cluster.wec, downstreamObjects(cluster)] as const);
  const reports = readReports({ input: read, wecs, ...(wds === undefined ? {} : { wds }) }, notice);
  const named = wecs.map(({ wec }) => wec);
  const input = withResolvedPolicies(read, [...named, ...reportingWecs(reports)]);
  showComputing(terminal, input.workloads.length + input.fleet.length);
  return {
    input,
    reports,
    wecs,
    downstream: new Map(downstream),
    schemas: createLazySchemas(),
    wds: wds ?? DEFAULT_WDS,
    nowMs: now ?? terminal.clock(),
    hasReports: wecs.length > 0 || input.workStatuses.length > 0,
  };
}
