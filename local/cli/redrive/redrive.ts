import { type Command, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { addDeploymentOptions } from '#local/cli/deployment/options.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { RedriveOptions } from './redrive-plan.ts';

const HELP = `
Shows each message with what it is and why it is there, then asks. Work goes back as it is; events go back in the
name of their first sender, who is judged again. What nothing can read stays; --discard deletes it.

Examples:
  $ starfold redrive --dry-run
  $ starfold redrive --queue events --message 5fea7756-0ea4-451a-a703-a558b933e274
  $ starfold redrive --queue hints --yes
  $ starfold redrive --queue events --discard

Exit codes: 0 done, also when nothing was there or the answer was no; 1 it could not be done; 2 wrong usage.`;

function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Adds `starfold redrive`. */
export function addRedriveCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('redrive')
    .description('Sends messages of the dead-letter queues back to their queues after a question.');
  addDeploymentOptions(command)
    .addOption(
      new Option('--queue <queue>', 'whose dead letters (default: all)').choices([
        'events',
        'dirty',
        'hints',
        'notifications',
      ]),
    )
    .option('--message <id>', 'only this message (repeatable)', repeated)
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .option(
      '--discard',
      'delete instead: messages that cannot be read, or those named with --message',
    )
    .addOption(
      new Option('-o, --output <format>', 'format').choices(['table', 'json']).default('table'),
    )
    .addHelpText('after', HELP)
    .action(async (options: RedriveOptions) => {
      const { createAwsAccount } = await import('#local/cli/deployment/aws-account.ts');
      const { createQuestion } = await import('#local/cli/terminal/question.ts');
      const { runRedrive } = await import('./redrive-run.ts');
      const account = createAwsAccount(options.region);
      // The question is not a result, so it is not written to the standard output.
      const question = createQuestion(process.stdin, process.stderr);
      await explained(() => runRedrive(options, { account, terminal, question }));
    });
}
