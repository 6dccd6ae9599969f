import { type Command, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { addDeploymentOptions } from '#local/cli/deployment/options.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { RegisterOptions, UnregisterOptions } from './register-run.ts';
import { parseSource } from './register-source.ts';

const REGISTER_HELP = `
A source is a cluster, by the name that its forwarder uses. Events of a principal that is not registered for their
source are not recorded. A source may have several principals, such as the old and the new role of a forwarder. 'wec/*'
is every WEC. Use it only for the forwarder of an ITS, which reports all of them.

Examples:
  $ starfold register wec/cluster1 --role arn:PARTITION:iam::111122223333:role/forwarder-cluster1
  $ starfold register wds/wds1 --principal AROAEXAMPLE1234567890
  $ starfold register fleet/upstream1 --role arn:PARTITION:iam::111122223333:role/forwarder-upstream1
  $ starfold register 'wec/*' --role arn:PARTITION:iam::111122223333:role/forwarder-its1
  $ starfold register --list

Exit codes: 0 done, or nothing had to be done; 1 it could not be done; 2 wrong usage.`;

const UNREGISTER_HELP = `
Without --role and --principal, the source is removed permanently: no principal may report it, it no longer counts as
silent, and the reports of a WEC are removed from the results. Stop its forwarder first. The command asks before it
removes a source. Without a terminal, --yes is required.

With --state, the source is removed from the state of starfold start, which may run meanwhile. This state has no
registrations: first remove the line of the source from the tokens file, or start without its --wec.

Examples:
  $ starfold unregister wec/cluster1 --role arn:PARTITION:iam::111122223333:role/old-forwarder
  $ starfold unregister wec/cluster1
  $ starfold unregister wec/cluster1 --yes
  $ starfold unregister wec/cluster1 --state .starfold/state.sqlite

Exit codes: 0 done, nothing had to be done, or the answer was no; 1 it could not be done, or there is no such
source; 2 wrong usage.`;

function addPrincipalOptions(command: Command): Command {
  return addDeploymentOptions(command)
    .option('--role <arn>', 'ARN of the role or user that its forwarder sends as')
    .option('--principal <id>', 'its unique identifier instead (AROA... or AIDA...)');
}

/** Adds `starfold register`. */
export function addRegisterCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('register')
    .description(
      'Registers the principal of AWS that may report a WEC, a WDS or a management cluster of Fleet.',
    )
    .argument('[source]', "wec/NAME, wds/NAME, fleet/NAME or 'wec/*'", parseSource);
  addPrincipalOptions(command)
    .option('--list', 'show the registrations')
    .addOption(
      new Option('-o, --output <format>', 'format of --list')
        .choices(['table', 'json'])
        .default('table'),
    )
    .addHelpText('after', REGISTER_HELP)
    .action(async (source: EventSource | undefined, options: RegisterOptions) => {
      const { createAwsAccount } = await import('#local/cli/deployment/aws-account.ts');
      const { runRegister } = await import('./register-run.ts');
      const account = createAwsAccount(options.region);
      await explained(() => runRegister(source, options, { account, terminal }));
    });
}

interface UnregisterSettings extends UnregisterOptions {
  readonly state?: string;
}

/** Adds `starfold unregister`. */
export function addUnregisterCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('unregister')
    .description('Removes a registration, or removes a source permanently.')
    .argument(
      '<source>',
      "wec/NAME, wds/NAME, fleet/NAME or, with a principal, 'wec/*'",
      parseSource,
    );
  addPrincipalOptions(command)
    .addOption(
      new Option(
        '--state <file>',
        'not on AWS: the state file of starfold start, which may run',
      ).conflicts(['stage', 'region', 'role', 'principal']),
    )
    .option('--yes', 'remove the source without a question')
    .addHelpText('after', UNREGISTER_HELP)
    .action(async (source: EventSource, { state, ...options }: UnregisterSettings) => {
      const { createQuestion } = await import('#local/cli/terminal/question.ts');
      // The question is not a result, so it is not written to the standard output.
      const question = createQuestion(process.stdin, process.stderr);
      if (state !== undefined) {
        const { runUnregisterState } = await import('./unregister-state.ts');
        const wanted = { ...options, state };
        return explained(() => runUnregisterState(source, wanted, { terminal, question }));
      }
      const { createAwsAccount } = await import('#local/cli/deployment/aws-account.ts');
      const { runUnregister } = await import('./register-run.ts');
      const account = createAwsAccount(options.region);
      await explained(() => runUnregister(source, options, { account, terminal, question }));
    });
}
