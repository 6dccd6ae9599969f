import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  addReportOptions,
  filenameOption,
  type ObjectOptions,
} from '#local/cli/eval/object-options.ts';
import { DEFAULT_API_KUBECONFIG, DEFAULT_STATE } from '#local/cli/state/default-state.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { givenAlone } from '#local/start/option-messages.ts';
import { ONLY_WITH_FILES, wdsOfServer } from './messages.ts';

/** Which door to the API a user has chosen. */
export interface DoorOptions extends Partial<ObjectOptions> {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly state?: string;
  readonly stage?: string;
  readonly region?: string;
  /** For messages, the options of a command that has only some of these doors. */
  readonly others?: string;
}

const LIVE = ['kubeconfig', 'context'];

/** Adds the options of the doors to a command. Options of different doors exclude each other. */
export function addDoorOptions(command: Command): Command {
  command
    .option(
      '--kubeconfig <file>',
      `kubeconfig of a server of the API (default: ${DEFAULT_API_KUBECONFIG} if it is there; otherwise --state ${DEFAULT_STATE} if that is there; otherwise KUBECONFIG, or ~/.kube/config)`,
    )
    .option('--context <context>', 'its context (default: the current one)')
    .addOption(
      new Option(
        '--state <file>',
        'without a server: the state file of starfold start, which may run',
      ).conflicts(LIVE),
    )
    .addOption(
      new Option(
        '--stage <stage>',
        'without a server: the table of the deployment on AWS of this stage',
      ).conflicts([...LIVE, 'state']),
    )
    .option('--region <region>', 'where it runs (default: AWS_REGION, or that of the AWS profile)')
    .addOption(filenameOption().conflicts([...LIVE, 'state', 'stage']));
  return addReportOptions(command).option(
    '--wds <name>',
    'with --state and --stage: which WDS, if there are several, or which management cluster of Fleet; with -f: leave out WorkStatuses of other WDSes',
  );
}

/** Whether the options name a server of the API. */
export function isLive({ state, stage, filename }: DoorOptions): boolean {
  return state === undefined && stage === undefined && filename === undefined;
}

/**
 * The options with the door of a user who names none: in the folder of a `starfold start` without `--api`, the state file. Those of
 * other doors stay as they are.
 */
export function withDefaultDoor<T extends DoorOptions>(options: T): T {
  const { kubeconfig, context } = options;
  const isNamed = kubeconfig !== undefined || context !== undefined || !isLive(options);
  if (isNamed || existsSync(DEFAULT_API_KUBECONFIG) || !existsSync(DEFAULT_STATE)) return options;
  return { ...options, state: DEFAULT_STATE };
}

/** @throws UsageError for options that need another one */
export function checkDoorOptions(options: DoorOptions): void {
  const { wds, stage, region, filename, wec, now } = options;
  if (wds !== undefined && isLive(options))
    throw new UsageError(wdsOfServer('--state, --stage and -f'));
  if (region !== undefined && stage === undefined)
    throw new UsageError(givenAlone('--region', '--stage'));
  if (filename === undefined && (wec !== undefined || now !== undefined))
    throw new UsageError(ONLY_WITH_FILES);
}
