import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import { at, isArray, type JsonObject, parseJson } from '#shared/core/json.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
/** The command itself. */
export const STARFOLD = join(ROOT, 'local', 'cli', 'starfold.ts');

/** Where the command's input files are. */
export const FIXTURES = join(ROOT, 'test', 'fixtures', 'cli');

/** The path of a fixture. */
export function fixture(name: string): string {
  return join(FIXTURES, name);
}

/** A whole set of options: the WDS and what two WECs return. */
export const ALL = [
  ...['-f', fixture('wds.yaml')],
  ...['--wec', `wec1=${fixture('wec1.yaml')}`],
  ...['--wec', `wec2=${fixture('wec2.yaml')}`],
  ...['--now', '2026-11-21T12:00:00Z'],
] as const;

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The environment of a command. */
export type Variables = Readonly<Record<string, string>>;

/** What is asked of the thread that runs the command. */
export interface Request {
  readonly args: readonly string[];
  readonly input: string | Uint8Array;
  /** If absent, the command has the environment of this process. */
  readonly variables?: Variables;
}

/** Where requests are sent and what is 1 when the command has ended. */
interface Thread {
  readonly port: MessagePort;
  readonly done: Int32Array;
}

const TIMEOUT_MS = 60_000;
let started: Thread | undefined;

/** A thread of its own, so that a test has the result at once, as that of a process; it ends with this process. */
function startThread(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(join(import.meta.dirname, 'command-thread.ts'), {
    workerData: { port: port2, done },
    transferList: [port2],
    execArgv: [],
  });
  worker.unref();
  return { port, done };
}

/** The thread, which has a request now. */
function ask(request: Request): Thread {
  started ??= startThread();
  Atomics.store(started.done, 0, 0);
  started.port.postMessage(request);
  return started;
}

/** Runs the command in this process, with streams of its own: nothing is started for each run. */
export function starfold(args: readonly string[], input: string | Uint8Array = ''): Run {
  const { port, done } = ask({ args, input });
  if (Atomics.wait(done, 0, 0, TIMEOUT_MS) === 'timed-out')
    throw new Error(`the command has not ended: ${args.join(' ')}`);
  return receiveMessageOnPort(port)?.message;
}

/** The same with nothing but these variables, while this thread goes on: servers that the command asks may run in it. */
export async function starfoldBeside(args: readonly string[], variables: Variables): Promise<Run> {
  const [run] = await once(ask({ args, input: '', variables }).port, 'message');
  return run;
}

/** Runs the command as a user does: as a process. */
export function spawnStarfold(args: readonly string[], input = ''): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [STARFOLD, ...args], {
    input,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

/** A file with a content, in a folder of its own. */
export function file(name: string, text: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'starfold-cli-')), name);
  writeFileSync(path, text);
  return path;
}

/** The objects of a List. */
export function items(text: string): readonly JsonObject[] {
  const found = at(parseJson(text), 'items');
  // The command prints objects.
  return isArray(found) ? (found as readonly JsonObject[]) : [];
}

/** The object of a kind and name in a List. */
export function find(text: string, kind: string, name: string): JsonObject | undefined {
  return items(text).find((one) => one['kind'] === kind && at(one, 'metadata', 'name') === name);
}
