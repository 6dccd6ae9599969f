import { Command, CommanderError } from 'commander';
import packageJson from '#package.json' with { type: 'json' };
import { refuseEmptyValues } from './empty-values.ts';
import { InputError, UsageError } from './terminal/cli-error.ts';
import { SEE_HELP } from './terminal/option-messages.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The name of the command, if kubectl does not call it. */
const PROGRAM_NAME = 'starfold';

const EXIT = { done: 0, badInput: 1, wrongUsage: 2 } as const;

/** A sub-command. Its file is loaded only when it is used. */
interface SubCommand {
  readonly summary: string;
  /** @param whole makes a program with all commands */
  add(program: Command, terminal: Terminal, whole: () => Promise<Command>): Promise<void>;
}

const SUB_COMMANDS: Readonly<Record<string, SubCommand>> = {
  eval: {
    summary: 'show what Starfold would write, without writing it',
    add: async (program, terminal) =>
      (await import('./eval/eval.ts')).addEvalCommand(program, terminal),
  },
  health: {
    summary: 'show the health by Argo CD, kstatus or Fleet, in each cluster and together',
    add: async (program, terminal) =>
      (await import('./eval/health.ts')).addHealthCommand(program, terminal),
  },
  explain: {
    summary: 'show which rule and which WECs give each field of a status',
    add: async (program, terminal) =>
      (await import('./explain/explain.ts')).addExplainCommand(program, terminal),
  },
  get: {
    summary: 'show what each WEC reports about workload objects, and the WECs',
    add: async (program, terminal) =>
      (await import('./get/get.ts')).addGetCommand(program, terminal),
  },
  query: {
    summary: 'ask about what WECs report, in the language of StatusCollectors',
    add: async (program, terminal) =>
      (await import('./query/query.ts')).addQueryCommand(program, terminal),
  },
  console: {
    summary: 'serve the page for a live installation, with your own credentials',
    add: async (program, terminal) =>
      (await import('./console/console.ts')).addConsoleCommand(program, terminal),
  },
  start: {
    summary: 'run Starfold in this process, on a demo or on the clusters of a kubeconfig',
    add: async (program) => (await import('./start/start.ts')).addStartCommand(program),
  },
  takeover: {
    summary: 'make an installation the writer of a cluster',
    add: async (program, terminal) =>
      (await import('./takeover/takeover.ts')).addTakeoverCommand(program, terminal),
  },
  fleet: {
    summary: 'show where the statuses of Rancher Fleet differ from those of Starfold',
    add: async (program, terminal) =>
      (await import('./fleet/fleet.ts')).addFleetCommand(program, terminal),
  },
  doctor: {
    summary: 'report the problems of a deployment on AWS, with their remedies',
    add: async (program, terminal) =>
      (await import('./doctor/doctor.ts')).addDoctorCommand(program, terminal),
  },
  redrive: {
    summary: 'send dead letters back to their queues after a question',
    add: async (program, terminal) =>
      (await import('./redrive/redrive.ts')).addRedriveCommand(program, terminal),
  },
  register: {
    summary: 'register the AWS principal that may report a cluster',
    add: async (program, terminal) =>
      (await import('./register/register.ts')).addRegisterCommand(program, terminal),
  },
  unregister: {
    summary: 'remove a registration, or remove a WEC permanently',
    add: async (program, terminal) =>
      (await import('./register/register.ts')).addUnregisterCommand(program, terminal),
  },
  completion: {
    summary: 'print the script by which a shell completes commands and options',
    add: async (program, terminal, whole) =>
      (await import('./completion/completion.ts')).addCompletionCommand(program, terminal, whole),
  },
};

const EXAMPLES = `
Examples:
  $ starfold eval -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ kubectl get deployments.apps,bindings.control.kubestellar.io,statuscollectors.control.kubestellar.io -A -o yaml \\
      | starfold eval -f - -o json
  $ starfold health -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ starfold explain deployment/web -n shop -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ starfold get deployment/web -n shop
  $ starfold fleet diff --older-than 5m
  $ starfold doctor --stage prod

Exit codes: 0 done, 1 the input is bad or something is wrong, 2 wrong usage.`;

/** How a user calls the command. */
export interface Call {
  readonly args: readonly string[];
  readonly name: string;
}

/** The program of a call, with the options of the used command only, because loading all takes time. */
export async function createProgram({ args, name }: Call, terminal: Terminal): Promise<Command> {
  const used = args[0] === 'help' ? args[1] : args[0];
  return programWith((command) => command === used, name, terminal);
}

async function programWith(
  isUsed: (command: string) => boolean,
  name: string,
  terminal: Terminal,
): Promise<Command> {
  const program = new Command(name)
    .description('Aggregates the status that many clusters report for the objects of one cluster.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      // Examples call the command as the user does.
      writeOut: (text) => terminal.out(text.replaceAll('$ starfold', `$ ${name}`)),
      writeErr: terminal.usage,
    })
    .showHelpAfterError(SEE_HELP)
    .addHelpText('after', EXAMPLES)
    .hook('preAction', (_program, command) => refuseEmptyValues(command));
  const whole = (): Promise<Command> => programWith(() => true, name, terminal);
  for (const [command, { summary, add }] of Object.entries(SUB_COMMANDS)) {
    if (isUsed(command)) await add(program, terminal, whole);
    else program.command(command).summary(summary).description(summary);
  }
  return program;
}

function exitCodeOf(error: unknown, terminal: Terminal): number {
  // Commander has already shown the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
  if (error instanceof UsageError) {
    terminal.notice(`${error.message} ${SEE_HELP}`);
    return EXIT.wrongUsage;
  }
  if (error instanceof InputError) {
    terminal.notice(error.message);
    return EXIT.badInput;
  }
  throw error;
}

/**
 * Runs the command line.
 *
 * @param args the arguments after the name of the command
 * @param terminal where input comes from, and where results go
 * @param name how the user calls it, for its help
 * @returns the exit code: 0 success, 1 invalid input, 2 wrong usage
 */
export async function runProgram(
  args: readonly string[],
  terminal: Terminal,
  name = PROGRAM_NAME,
): Promise<number> {
  try {
    const program = await createProgram({ args, name }, terminal);
    await program.parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return exitCodeOf(error, terminal);
  } finally {
    terminal.progress('');
  }
}
