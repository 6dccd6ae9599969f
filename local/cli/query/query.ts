import { type Command, InvalidArgumentError, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { addDoorOptions, type DoorOptions, withDefaultDoor } from '#local/cli/door/options.ts';
import { untilInterrupted } from '#local/cli/terminal/interrupted.ts';
import { prettyJson, prettyYaml } from '#local/cli/terminal/print.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { AGGREGATIONS, type Aggregation } from '#shared/core/collector/aggregator.ts';
import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';
import { COUNT_FORM, LIMIT_FORM, PAIR_FORM } from './messages.ts';
import type { QueryCommand } from './run.ts';
import type { Aggregated, NamedText } from './spec.ts';

const HELP = `
Asks about what each WEC reports of workload objects, in the language of StatusCollectors (docs/cel.md). OBJECTS is a resource or
RESOURCE/NAME; without it, the query is about all objects of the namespace. --select prints a row for each WEC of each object;
the other columns are of all rows, or with --group-by of each group.

Where it reads: from a server of the API (starfold start --api, or an APIService), or without a server from a state file
(--state), a deployment on AWS (--stage), or files as starfold eval takes them (-f, --wec).

Examples:
  $ starfold query deployments -n shop --filter 'propagation.stale' --select ready=returned.status.readyReplicas
  $ starfold query deployment/web -n shop --group-by 'image=returned.spec.template.spec.containers[0].image' --count wecs
  $ starfold query deployments -A --group-by 'region=inventory.labels.region' --sum ready=returned.status.readyReplicas
  $ starfold query --count stale --filter propagation.stale --save stale-wecs > stale-wecs.yaml

Exit codes: 0 done, also with errors of single rows; 1 the query is invalid, or nobody answers; 2 wrong usage.`;

function parsePair(text: string): NamedText {
  const sign = text.indexOf('=');
  const [name, def] = [text.slice(0, sign).trim(), text.slice(sign + 1).trim()];
  if (sign < 1 || name === '' || def === '') throw new InvalidArgumentError(PAIR_FORM);
  return { name, def };
}

/** Rows are counted without an expression: with one, the count would not be of what it says. */
function parseCount(text: string): string {
  if (text.includes('=')) throw new InvalidArgumentError(COUNT_FORM);
  return text;
}

function collectPairs(text: string, before: readonly NamedText[] = []): readonly NamedText[] {
  return [...before, parsePair(text)];
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError(LIMIT_FORM);
  return Number(text);
}

/** Adds the options of aggregated columns, which keep the order of the command line. */
function addAggregations(command: Command): readonly Aggregated[] {
  const found: Aggregated[] = [];
  for (const type of AGGREGATIONS) {
    const option = type.toLowerCase();
    const take = (text: string): true => {
      if (type === 'COUNT') found.push({ name: parseCount(text), type });
      else {
        const { name, def } = parsePair(text);
        found.push({ name, type, subject: def });
      }
      return true;
    };
    const flags = type === 'COUNT' ? `--${option} <name>` : `--${option} <name=cel>`;
    command.addOption(new Option(flags, DESCRIPTIONS[type]).argParser(take));
  }
  return found;
}

const DESCRIPTIONS: Readonly<Record<Aggregation, string>> = {
  COUNT: 'a column with the number of rows; may be repeated, as the following',
  SUM: 'a column with a sum',
  AVG: 'a column with a mean',
  MIN: 'a column with the least value',
  MAX: 'a column with the largest value',
};

async function run(
  text: string | undefined,
  options: QueryCommand & DoorOptions,
  terminal: Terminal,
): Promise<void> {
  const { runQuery, savedCollector } = await import('./run.ts');
  if (options.save !== undefined) {
    const { savedNotices } = await import('./saved-notices.ts');
    const collector = savedCollector(options.save, options);
    for (const notice of savedNotices(text, options)) terminal.notice(notice);
    terminal.out(options.output === 'json' ? `${prettyJson(collector)}\n` : prettyYaml(collector));
    return;
  }
  const { openDoor } = await import('#local/cli/door/open-door.ts');
  const door = await openDoor(withDefaultDoor(options), terminal);
  try {
    await untilInterrupted((signal) => runQuery(text, options, { door, terminal, signal }));
  } finally {
    await door.close();
  }
}

/** Adds `starfold query`. */
export function addQueryCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('query')
    .summary('ask about what WECs report, in the language of StatusCollectors')
    .description('Asks about what WECs report, in the language of StatusCollectors.')
    .argument('[objects]', 'RESOURCE or RESOURCE/NAME (default: all objects)')
    .option('--filter <cel>', 'only rows for which this is true')
    .option('--select <name=cel>', 'a column of each row; may be repeated', collectPairs)
    .option(
      '--group-by <name=cel>',
      'a column whose values make the groups; may be repeated',
      collectPairs,
    );
  const aggregated = addAggregations(command);
  command
    .option('-n, --namespace <namespace>', 'the namespace (default: that of the context)')
    .addOption(new Option('-A, --all-namespaces', 'all namespaces').conflicts('namespace'))
    .option('-l, --selector <selector>', 'only objects with these labels')
    .option(
      '--limit <number>',
      `the most rows (default: all; at most ${MAX_QUERY_LIMIT} groups)`,
      parseLimit,
    )
    .addOption(
      new Option('-o, --output <format>', 'format')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .option(
      '--save <name>',
      'print the StatusCollector that computes this for good, and ask nobody',
    );
  addDoorOptions(command)
    .addHelpText('after', HELP)
    .action((text: string | undefined, options: Omit<QueryCommand, 'aggregated'> & DoorOptions) =>
      explained(() => run(text, { ...options, aggregated }, terminal)),
    );
}
