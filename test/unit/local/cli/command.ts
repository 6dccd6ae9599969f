import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
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

/** What {@link starfold} asks of the thread that runs the command. */
export interface Request {
  readonly args: readonly string[];
  readonly input: string | Uint8Array;
}

interface Thread {
  run(request: Request): Run;
}

const TIMEOUT_MS = 60_000;
let thread: Thread | undefined;

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
  return {
    run(request) {
      Atomics.store(done, 0, 0);
      port.postMessage(request);
      if (Atomics.wait(done, 0, 0, TIMEOUT_MS) === 'timed-out')
        throw new Error(`the command has not ended: ${request.args.join(' ')}`);
      return receiveMessageOnPort(port)?.message;
    },
  };
}

/** Runs the command in this process, with streams of its own: nothing is started for each run. */
export function starfold(args: readonly string[], input: string | Uint8Array = ''): Run {
  thread ??= startThread();
  return thread.run({ args, input });
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
