import { type DocumentedCommand, TOOLS } from './shell.ts';
import { isOffline, isOperators, isQuestion } from './starfold-commands.ts';

/** documented-commands.test.ts runs them, those that write with --dry-run=server. */
const ON_API_SERVERS: readonly string[] = [
  ...['kubectl', '/helm', 'infra/local/kube-assets/build-helm.sh'],
  ...TOOLS,
];

function starfold(path: string, args: readonly string[]): boolean {
  return (
    // documented-starts.test.ts, install-first.test.ts
    args[0] === 'start' ||
    path === 'docs/install.md' ||
    [isOffline, isOperators, isQuestion].some((runs) => runs(args))
  );
}

/** Whether a test runs the command. The others are checked (command-checks.ts), or parts of them run elsewhere. */
export function isRun({ path, program, args }: DocumentedCommand): boolean {
  switch (program) {
    case 'starfold':
      return starfold(path, args);
    case 'npx':
      return args[0] === 'node' || (args[0] === 'starfold' && starfold(path, args.slice(1)));
    case 'npm':
      return args[0] === 'start';
    case 'helm':
      // install-sections.test.ts. The chart of Starfold itself needs a kubelet.
      return path === 'docs/install.md' && args.includes('infra/charts/event-forwarder');
    default:
      return ON_API_SERVERS.includes(program);
  }
}
