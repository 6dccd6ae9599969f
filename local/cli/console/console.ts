import { type Command, InvalidArgumentError, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { wdsOfServer } from '#local/cli/door/messages.ts';
import { DEFAULT_API_KUBECONFIG } from '#local/cli/state/default-state.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { untilInterrupted } from '#local/cli/terminal/interrupted.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { givenAlone } from '#local/start/option-messages.ts';
import { portForm } from './messages.ts';
import type { ConsoleOptions } from './run.ts';

const HELP = `
It serves the page to this machine, as kubectl proxy serves an API, and sends the requests of the page with your own credentials. The
page can read what you can read, and nothing else. So can every other program on this machine, until the command ends (Ctrl-C).

CONTEXT is a WDS with an APIService for Starfold, or a server of Starfold (starfold start --api). From such a server, CombinedStatuses
and the schemas of kinds are not read: --wds-context names the WDS that has them. With --stage it reads the table of a deployment on
AWS with your AWS profile. There is no watch there, so the page reads again every 5 seconds.

Examples:
  $ starfold console --context wds1
  $ starfold console --context starfold-wds1 --wds-context wds1
  $ starfold console --stage prod --wds-context wds1

Exit codes: 0 ended by Ctrl-C or SIGTERM, 1 it cannot be served, 2 wrong usage.`;

const LAST_PORT = 65_535;

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > LAST_PORT) throw new InvalidArgumentError(portForm(LAST_PORT));
  return port;
}

function check({ stage, region, wds }: ConsoleOptions): void {
  if (stage !== undefined) return;
  if (region !== undefined) throw new UsageError(givenAlone('--region', '--stage'));
  if (wds !== undefined) throw new UsageError(wdsOfServer('--stage'));
}

/** Adds `starfold console`. */
export function addConsoleCommand(program: Command, terminal: Terminal): void {
  program
    .command('console')
    .summary('serve the page for a live installation, with your own credentials')
    .description('Serves the page for a live installation, with your own credentials.')
    .option(
      '--kubeconfig <file>',
      `kubeconfig of the contexts (default: without --context, ${DEFAULT_API_KUBECONFIG} if it is there; otherwise KUBECONFIG, or ~/.kube/config)`,
    )
    .option('--context <context>', 'the WDS, or a server of Starfold (default: the current one)')
    .option('--wds-context <context>', 'the WDS, if it does not serve the API of Starfold itself')
    .addOption(
      new Option('--stage <stage>', 'the deployment on AWS of this stage instead').conflicts(
        'context',
      ),
    )
    .option('--region <region>', 'where it runs (default: AWS_REGION, or that of the AWS profile)')
    .option('--wds <name>', 'with --stage: which WDS, if there are several')
    .option('-n, --namespace <namespace>', 'read this namespace only, if you may read no other')
    .option('--port <number>', 'port of the page (default: any free one)', parsePort, 0)
    .addHelpText('after', HELP)
    .action((options: ConsoleOptions) =>
      explained(async () => {
        check(options);
        const { runConsole } = await import('./run.ts');
        const { readPageFiles } = await import('#local/console/page-files.ts');
        const parts = { terminal, page: () => readPageFiles() };
        await untilInterrupted((signal) => runConsole(options, { ...parts, signal }));
      }),
    );
}
