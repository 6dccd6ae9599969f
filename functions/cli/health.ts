import { type Command, InvalidArgumentError, Option } from 'commander';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { assessAlone, assessReported, type ObjectHealth } from './assess-workload.ts';
import { type Evaluated, evaluate } from './evaluate.ts';
import { noticesOf } from './notices.ts';
import { addObjectOptions, type ObjectOptions, readEvaluation } from './object-options.ts';
import { FORMATS, type Format, prettyJson, prettyYaml } from './print.ts';
import type { Terminal } from './terminal.ts';

const EXAMPLES = `
Without what WECs say (--wec, WorkStatuses), each object is judged as it is given. With it, the object is
judged with the status that Starfold writes, and so is the object of each WEC; a star marks the WECs that
decide.

Examples:
  $ kubectl get deployments -A -o yaml | starfold health -f -
  $ starfold health -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml -o json`;

const ARGO_CD_VERSIONS = ['2.14', '3'] as const;

interface HealthOptions extends ObjectOptions {
  readonly output?: Format | 'table';
}

function parseAssessor(value: string): string {
  if (value === 'argocd') return value;
  throw new InvalidArgumentError(
    value === 'kstatus' || value === 'fleet'
      ? `${value} is not there yet: leave it out, or give argocd.`
      : 'Allowed choices are argocd.',
  );
}

function keyOf(object: JsonObject): string {
  const { apiVersion, kind } = object;
  return [apiVersion, kind, at(object, 'metadata', 'namespace'), at(object, 'metadata', 'name')]
    .map((part) => String(part ?? ''))
    .join('/');
}

function assess(evaluated: Evaluated, hasReports: boolean): readonly ObjectHealth[] {
  const { membership, workloads, objects } = evaluated;
  const byKey = new Map(workloads.map((workload) => [keyOf(workload.given.object), workload]));
  return objects.flatMap((object) => {
    const workload = byKey.get(keyOf(object));
    if (workload === undefined) return [];
    return hasReports ? assessReported(membership, workload, object) : assessAlone(workload);
  });
}

async function print(results: readonly ObjectHealth[], format: Format | 'table'): Promise<string> {
  // The results are plain JSON.
  const json = results as unknown as JsonValue;
  switch (format) {
    case 'table':
      return (await import('./health-table.ts')).healthTable(results);
    case 'yaml':
      return prettyYaml(json);
    case 'json':
      return `${prettyJson(json)}\n`;
  }
}

async function runHealth(options: HealthOptions, terminal: Terminal): Promise<void> {
  const { hasReports, ...evaluation } = await readEvaluation(options, terminal);
  const evaluated = await evaluate(evaluation);
  if (hasReports) for (const text of noticesOf(evaluation, evaluated)) terminal.notice(text);
  const format = options.output ?? (terminal.isTerminal ? 'table' : 'yaml');
  terminal.out(await print(assess(evaluated, hasReports), format));
}

/** Adds `starfold health`. */
export function addHealthCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('health')
    .summary('show the health that Argo CD would see, in each cluster and together')
    .description('Shows the health that Argo CD would see, in each cluster and together.');
  addObjectOptions(command)
    .option(
      '--assess <assessor>',
      'whose verdict: argocd (kstatus and fleet are not there yet)',
      parseAssessor,
      'argocd',
    )
    .addOption(
      new Option('--argocd-version <version>', 'whose rules, where versions differ')
        .choices(ARGO_CD_VERSIONS)
        .default('3'),
    )
    .addOption(
      new Option(
        '-o, --output <format>',
        'format (default: table on a terminal, else yaml)',
      ).choices(['table', ...FORMATS]),
    )
    .addHelpText('after', EXAMPLES)
    .action((options: HealthOptions) => runHealth(options, terminal));
}
