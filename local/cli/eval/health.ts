import { type Command, Option } from 'commander';
import { reportingWecs } from '#local/cli/input/wec-reports.ts';
import { FORMATS, type Format, prettyJson, prettyYaml } from '#local/cli/terminal/print.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { assessAlone, assessReported, type ObjectHealth } from './assess-workload.ts';
import { type Assessor, argoCdAssessor, fleetAssessor, kstatusAssessor } from './assessor.ts';
import { type Evaluated, evaluate } from './evaluate.ts';
import { noticesOf, noticesWithoutReports } from './notices.ts';
import { addObjectOptions, type ObjectOptions, readEvaluation } from './object-options.ts';

const EXAMPLES = `
Without what WECs say (--wec NAME=FILE, WorkStatuses), each object is judged as it is given. With it, the
object is judged with the status that Starfold writes, and so is the object of each WEC; a star marks the
WECs that decide: those whose report, taken alone, gives the worst verdict.

From worst to best, Argo CD says Unknown, Degraded, Missing, Progressing, Suspended, Healthy;
kstatus says Failed, Unknown, NotFound, Terminating, InProgress, Current;
Fleet a state of its own for each kind, with error or transitioning where it is not ready.

Examples:
  $ kubectl get deployments.apps -A -o yaml | starfold health -f -
  $ starfold health -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml -o json
  $ starfold health -f wds.yaml --wec wec1=wec1.yaml --assess kstatus`;

const ASSESSORS = ['argocd', 'kstatus', 'fleet'] as const;
const ARGO_CD_VERSIONS = ['2.14', '3'] as const satisfies readonly ArgoCdVersion[];

interface HealthOptions extends ObjectOptions {
  readonly assess: (typeof ASSESSORS)[number];
  readonly argocdVersion: ArgoCdVersion;
  readonly output?: Format | 'table';
}

function assessorOf({ assess, argocdVersion }: HealthOptions, nowMs: number): Assessor {
  switch (assess) {
    case 'argocd':
      return argoCdAssessor(argocdVersion);
    case 'kstatus':
      return kstatusAssessor(nowMs);
    case 'fleet':
      return fleetAssessor(nowMs);
  }
}

function keyOf(object: JsonObject): string {
  const { apiVersion, kind } = object;
  return [apiVersion, kind, at(object, 'metadata', 'namespace'), at(object, 'metadata', 'name')]
    .map((part) => String(part ?? ''))
    .join('/');
}

function assess(
  assessor: Assessor,
  evaluated: Evaluated,
  { hasReports, heard }: { readonly hasReports: boolean; readonly heard: ReadonlySet<string> },
): readonly ObjectHealth[] {
  const { membership, workloads, silentBeyond, objects, fleet } = evaluated;
  const byKey = new Map(workloads.map((workload) => [keyOf(workload.given.object), workload]));
  const ofFleet = new Set(fleet.objects);
  return objects.flatMap((afterwards) => {
    if (ofFleet.has(afterwards)) return [assessAlone(assessor, afterwards)];
    const workload = byKey.get(keyOf(afterwards));
    if (workload === undefined) return [];
    return hasReports
      ? [assessReported(assessor, { membership, workload, heard, silentBeyond, afterwards })]
      : [assessAlone(assessor, workload.given.object)];
  });
}

async function print(
  results: readonly ObjectHealth[],
  format: Format | 'table',
  { isTerminal, columns }: Terminal,
): Promise<string> {
  // The results are plain JSON.
  const json = results as unknown as JsonValue;
  switch (format) {
    case 'table':
      return (await import('./health-table.ts')).healthTable(
        results,
        isTerminal ? columns : undefined,
      );
    case 'yaml':
      return prettyYaml(json);
    case 'json':
      return `${prettyJson(json)}\n`;
  }
}

async function runHealth(options: HealthOptions, terminal: Terminal): Promise<void> {
  const evaluation = await readEvaluation(options, terminal);
  const { hasReports } = evaluation;
  const evaluated = await evaluate(evaluation);
  const notices = hasReports ? noticesOf(evaluation, evaluated) : noticesWithoutReports(evaluated);
  for (const text of notices) terminal.notice(text);
  const format = options.output ?? (terminal.isTerminal ? 'table' : 'yaml');
  const assessor = assessorOf(options, evaluation.nowMs);
  const heard = reportingWecs(evaluation.reports);
  terminal.out(await print(assess(assessor, evaluated, { hasReports, heard }), format, terminal));
}

/** Adds `starfold health`. */
export function addHealthCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('health')
    .summary('show the health by Argo CD, kstatus or Fleet, in each cluster and together')
    .description('Shows the health by Argo CD, kstatus or Fleet, in each cluster and together.');
  addObjectOptions(command)
    .addOption(
      new Option('--assess <assessor>', 'whose verdict').choices(ASSESSORS).default('argocd'),
    )
    .addOption(
      new Option('--argocd-version <version>', 'whose rules to use if versions of Argo CD differ')
        .choices(ARGO_CD_VERSIONS)
        .default('3'),
    )
    .addOption(
      new Option(
        '-o, --output <format>',
        'format (default: table on a terminal, otherwise yaml)',
      ).choices(['table', ...FORMATS]),
    )
    .addHelpText('after', EXAMPLES)
    .action((options: HealthOptions) => runHealth(options, terminal));
}
