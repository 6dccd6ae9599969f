import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import {
  addDoorOptions,
  type DoorOptions,
  isLive,
  withDefaultDoor,
} from '#local/cli/door/options.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { untilInterrupted } from '#local/cli/terminal/interrupted.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { CHUNK_SIZE_FORM, WATCH_NEEDS_SERVER } from './messages.ts';
import type { GetOptions } from './run.ts';

const HELP = `
RESOURCE is a resource of the API (wecstatuses, clusterwecstatuses, wecs, why; docs/api.md), or one of the workload objects: then it
shows what each WEC reports about them. Without one, it is wecstatuses.

Where it reads: from a server of the API (starfold start --api, or an APIService), or without a server from a state file
(--state), a deployment on AWS (--stage), or files as starfold eval takes them (-f, --wec).

With -w it prints changes until Ctrl-C. If the server is restarted meanwhile, it goes on, and prints what has changed.

Examples:
  $ starfold get deployment/web -n shop
  $ starfold get wecs
  $ starfold get -A --field-selector health!=Healthy -w
  $ starfold get deployments -n shop -l app=web -o wide --state .starfold/state.sqlite
  $ starfold get deployment/web -n shop -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ starfold get wecst deployments.apps:web:edge-00017 -n shop -o yaml

Exit codes: 0 done, also by Ctrl-C with -w; 1 an object is missing, or it cannot be read; 2 wrong usage.`;

const CHUNK_SIZE = 500;

function parseChunkSize(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError(CHUNK_SIZE_FORM);
  return Number(text);
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

async function run(
  args: readonly string[],
  given: GetOptions & DoorOptions,
  terminal: Terminal,
): Promise<void> {
  const options = withDefaultDoor(given);
  if (options.watch === true && !isLive(options)) throw new UsageError(WATCH_NEEDS_SERVER);
  const { openDoor } = await import('#local/cli/door/open-door.ts');
  const { runGet } = await import('./run.ts');
  const door = await openDoor(options, terminal);
  const waiting = { sleep, random: Math.random };
  try {
    await untilInterrupted((signal) => runGet(args, options, { door, terminal, waiting, signal }));
  } finally {
    await door.close();
  }
}

/** Adds `starfold get`. */
export function addGetCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('get')
    .summary('show what each WEC reports about workload objects, and the WECs')
    .description('Shows what each WEC reports about workload objects, and the WECs.')
    .argument('[resource]', 'RESOURCE, RESOURCE NAME... or RESOURCE/NAME...')
    .argument('[name...]');
  command
    .option('-n, --namespace <namespace>', 'the namespace (default: that of the context)')
    .addOption(new Option('-A, --all-namespaces', 'all namespaces').conflicts('namespace'))
    .option('-l, --selector <selector>', 'only objects with these labels')
    .option('--field-selector <selector>', 'only objects with these fields, such as wec=edge-1')
    .addOption(
      new Option('-o, --output <format>', 'format (default: a table)').choices([
        'wide',
        'json',
        'yaml',
        'name',
      ]),
    )
    .option('-w, --watch', 'print changes, too, until Ctrl-C')
    .option('--output-watch-events', 'with -w: also the type of each change')
    .addOption(
      new Option('--chunk-size <number>', 'objects that are read at a time; 0 for all at once')
        .argParser(parseChunkSize)
        .default(CHUNK_SIZE),
    );
  addDoorOptions(command)
    .addHelpText('after', HELP)
    .action((resource: string | undefined, names: readonly string[], options) =>
      explained(() => run(resource === undefined ? [] : [resource, ...names], options, terminal)),
    );
}
