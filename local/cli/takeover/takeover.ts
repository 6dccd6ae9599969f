import { type Command, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { DEFAULT_STATE } from '#local/cli/state/default-state.ts';
import { parseIdentity } from '#local/cli/terminal/parse-identity.ts';
import { addRequiredOption } from '#local/cli/terminal/required-option.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { TakeoverOptions } from './takeover-run.ts';

const HELP = `
A cluster has one writer, which the Lease kube-system/starfold-writer names. Whoever else is to write there says so in its
problems, with the identity to give here: USER@HOST:STATE of starfold start, or the ARN of the table of a deployment on AWS.
The former writer may write for another minute; when it is to write after that, it notices, says so, and writes nothing
from then on.

Examples:
  $ starfold takeover --context wds1
  $ starfold takeover --context wds1 --identity arn:aws:dynamodb:eu-west-1:111122223333:table/starfold-prod --yes

Exit codes: 0 the identity writes the cluster; 1 it does not; 2 wrong usage.`;

/** Adds `starfold takeover`. */
export function addTakeoverCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('takeover')
    .summary('make an installation the writer of a cluster')
    .description(
      'Makes an installation of Starfold the writer of a WDS, or of a management cluster of Fleet.',
    );
  addRequiredOption(
    command,
    new Option('--context <context>', 'the cluster, as a context of the kubeconfig'),
  )
    .option('--kubeconfig <file>', 'kubeconfig (default: KUBECONFIG, or ~/.kube/config)')
    .option(
      '--identity <text>',
      'who is to write (default: starfold start of this user, on this machine, with --state)',
      parseIdentity,
    )
    .option('--state <file>', 'state file of starfold start', DEFAULT_STATE)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', HELP)
    .action((options: TakeoverOptions) =>
      explained(async () => {
        const { createQuestion } = await import('#local/cli/terminal/question.ts');
        const { runTakeover } = await import('./takeover-run.ts');
        const question = createQuestion(process.stdin, process.stderr);
        await runTakeover(options, { terminal, question });
      }),
    );
}
