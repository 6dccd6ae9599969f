import { type Command, Option } from 'commander';
import { UsageError } from '#local/cli/cli-error.ts';

/** Which door to the API a user has chosen. */
export interface DoorOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly state?: string;
  readonly wds?: string;
}

/** Adds the options of the doors to a command. Options of different doors exclude each other. */
export function addDoorOptions(command: Command): Command {
  const live = ['kubeconfig', 'context'];
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the API (default: .starfold/api-kubeconfig if it is there, otherwise KUBECONFIG, or ~/.kube/config)',
    )
    .option('--context <context>', 'its context (default: the current one)')
    .addOption(
      new Option('--state <file>', 'read this state file of starfold start instead').conflicts(
        live,
      ),
    )
    .option('--wds <name>', 'which WDS, if there are several');
}

/** @throws UsageError for options that need another one */
export function checkDoorOptions({ state, wds }: DoorOptions): void {
  if (wds !== undefined && state === undefined)
    throw new UsageError('--wds is for --state: a server of the API serves one WDS');
}

/** Whether the options name a server of the API. */
export function isLive({ state }: DoorOptions): boolean {
  return state === undefined;
}
