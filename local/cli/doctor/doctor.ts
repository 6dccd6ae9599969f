import { type Command, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { addDeploymentOptions } from '#local/cli/deployment/options.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { DoctorOptions } from './run.ts';

const HELP = `
Checks credentials, stack, functions, how long messages wait, what is in the dead-letter queues and why, which sources
are silent or not registered, which Bindings send to WECs that do not report, which subjects are set aside, and (through
the writer) whether each WDS answers and lets it write. It changes nothing;
messages of dead-letter queues are invisible to others for a moment.

Examples:
  $ starfold doctor
  $ starfold doctor --stage test --region eu-west-1 -o json

Exit codes: 0 no problem (there may be warnings), 1 a problem, 2 wrong usage.`;

/** Adds `starfold doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description('Reports the problems of a deployment on AWS, with their meaning and remedy.');
  addDeploymentOptions(command)
    .addOption(
      new Option('-o, --output <format>', 'format').choices(['table', 'json']).default('table'),
    )
    .addHelpText('after', HELP)
    .action(async (options: DoctorOptions) => {
      const { createAwsAccount } = await import('#local/cli/deployment/aws-account.ts');
      const { runDoctor } = await import('./run.ts');
      const account = createAwsAccount(options.region);
      await explained(() => runDoctor(options, { account, terminal }));
    });
}
