import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './markdown.ts';
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

/** What the steps of `.ci/run` run, beginning with the program. */
const STEPS = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  .split('\n')
  .flatMap((line) => /\bstep '[^']*' (?:nice -n \d+ )?(.*)/.exec(line)?.[1] ?? []);

/** Whether `.ci/run` runs the command, possibly with further options. */
function isStep({ program, args }: DocumentedCommand): boolean {
  const words = [program, ...args].join(' ');
  return STEPS.some((step) => `${step} `.startsWith(`${words} `));
}

/**
 * Whether a test or a step of `.ci/run` runs the command. The others are checked (command-checks.ts), or parts of them run elsewhere.
 */
export function isRun(command: DocumentedCommand): boolean {
  const { path, program, args } = command;
  if (isStep(command)) return true;
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
