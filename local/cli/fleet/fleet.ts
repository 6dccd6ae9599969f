import { type Command, InvalidArgumentError, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { DEFAULT_STATE } from '#local/cli/state/default-state.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { givenAlone } from '#local/start/option-messages.ts';
import { parseDuration } from '#shared/core/expression/time.ts';
import type { FleetDiffOptions } from './fleet-diff-run.ts';
import { NOT_A_DURATION, TWO_PLACES } from './messages.ts';

/** The options of `starfold fleet diff`, with the location of the state. */
interface PlacedOptions extends FleetDiffOptions {
  readonly state?: string;
  readonly stage?: string;
  readonly region?: string;
}

const HELP = `
In the mode compare Fleet's controller writes the statuses, and Starfold only notes where its own would be others. In
the mode write there is a difference where the API server has refused a status.

Without --stage it reads the state file of starfold start, also while that runs.

Examples:
  $ starfold fleet diff
  $ starfold fleet diff --upstream rancher1 --older-than 5m
  $ starfold fleet diff --stage prod --region eu-west-1 -o json

Exit codes: 0 no differences; 1 there are some, a management cluster has not been read completely yet, or the input is bad;
2 wrong usage.`;

const NANOS_PER_MS = 1_000_000n;

/** A duration in milliseconds. */
function parseAge(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration.nanos < 0n) throw new InvalidArgumentError(NOT_A_DURATION);
  return Number(duration.nanos / NANOS_PER_MS);
}

function checkPlace({ state, stage, region }: PlacedOptions): void {
  if (state !== undefined && stage !== undefined) throw new UsageError(TWO_PLACES);
  if (region !== undefined && stage === undefined)
    throw new UsageError(givenAlone('--region', '--stage'));
}

/** The modules for reading are loaded only here. */
async function runDiff(options: PlacedOptions, terminal: Terminal): Promise<void> {
  checkPlace(options);
  const { state = DEFAULT_STATE, stage, region } = options;
  const { runFleetDiff } = await import('./fleet-diff-run.ts');
  if (stage === undefined) {
    const { openStateFile } = await import('#local/cli/state/state-file.ts');
    const { store, close } = openStateFile(state);
    try {
      await runFleetDiff(options, { store, terminal });
    } finally {
      close();
    }
  } else {
    const { createAwsAccount } = await import('#local/cli/deployment/aws-account.ts');
    const { findDeployment } = await import('#local/cli/deployment/deployment.ts');
    const { store } = await findDeployment(createAwsAccount(region), stage);
    await runFleetDiff(options, { store, terminal });
  }
}

/** Adds `starfold fleet`. */
export function addFleetCommand(program: Command, terminal: Terminal): void {
  program
    .command('fleet')
    .summary('show where the statuses of Rancher Fleet differ from those of Starfold')
    .description('Shows what Starfold knows about the objects of Rancher Fleet.')
    .command('diff')
    .summary('show where the statuses of Fleet differ from those of Starfold')
    .description('Shows where the statuses of Fleet differ from those of Starfold.')
    .option('--upstream <name>', 'only this management cluster (default: all)')
    .option('--state <file>', `state file of starfold start (default: "${DEFAULT_STATE}")`)
    .option('--stage <stage>', 'the deployment on AWS of this stage instead')
    .option('--region <region>', 'where it runs (default: AWS_REGION, or that of the AWS profile)')
    .option(
      '--older-than <duration>',
      'only objects that have differed for this time, such as 5m',
      parseAge,
    )
    .addOption(
      new Option('-o, --output <format>', 'format')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', HELP)
    .action((options: PlacedOptions) => explained(() => runDiff(options, terminal)));
}
