import { env } from 'node:process';
import { Readable, Writable } from 'node:stream';
import { type MessagePort, workerData } from 'node:worker_threads';
import { runProgram } from '#local/cli/program.ts';
import { createTerminal } from '#local/cli/terminal/terminal.ts';
import type { Request, Run } from './command.ts';

const { port, done } = workerData as { readonly port: MessagePort; readonly done: Int32Array };

const PROCESS = { ...env };

/** Sets the environment of this thread, which is its own. */
function setVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) Reflect.deleteProperty(env, name);
  Object.assign(env, variables);
}

/** A stream that keeps what is written. */
function kept(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      chunks.push(chunk);
      callback();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

async function run({ args, input, variables }: Request): Promise<Run> {
  setVariables(variables ?? PROCESS);
  const [out, err] = [kept(), kept()];
  const stdin = Readable.from([typeof input === 'string' ? Buffer.from(input) : input]);
  const terminal = createTerminal({ stdin, stdout: out.stream, stderr: err.stream });
  const code = await runProgram(args, terminal).catch((error: unknown) => {
    // As node ends a process.
    err.stream.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  });
  return { code, out: out.text(), err: err.text() };
}

port.on('message', async (request: Request) => {
  port.postMessage(await run(request));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});
