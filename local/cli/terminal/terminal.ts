import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { plainText } from '#shared/core/plain-text.ts';
import { InputError } from './cli-error.ts';
import { INPUT_IS_TERMINAL, notWritten } from './messages.ts';

/** What a command uses of its process. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Resolves when the reader has taken so many results that more may be written: what waits is in memory. */
  drained(): Promise<void>;
  /** Writes one line of what is not a result. */
  notice(text: string): void;
  /**
   * Shows what a long step does, in one line of standard error, if that is a terminal. The next text takes its place; an empty one
   * only removes the line.
   */
  progress(text: string): void;
  /** Writes how the command is used, after wrong usage. */
  usage(text: string): void;
  /** The whole of standard input. */
  input(): Promise<Uint8Array>;
  /** Whether results go to a terminal. */
  readonly isTerminal: boolean;
  /** The width in which results for people fit. */
  readonly columns: number;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/** The width if results do not go to a terminal, or to one whose width is not known: it is 0 then. */
const DEFAULT_COLUMNS = 80;

/** The standard streams of a process, or replacements for them. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Moves the cursor of a terminal to the beginning of the line, and removes what stands there. */
const REMOVE_LINE = '\r\u001b[K';

/** A line of a terminal that only stands while a step lasts. */
class PassingLine {
  readonly #stream: Streams['stderr'];
  #isShown = false;

  constructor(stream: Streams['stderr']) {
    this.#stream = stream;
  }

  show(text: string): void {
    if (this.#stream.isTTY !== true) return;
    this.remove();
    // A line that is longer than the terminal could not be removed.
    this.#stream.write(plainText(text).slice(0, (this.#stream.columns || DEFAULT_COLUMNS) - 1));
    this.#isShown = text !== '';
  }

  remove(): void {
    if (this.#isShown) this.#stream.write(REMOVE_LINE);
    this.#isShown = false;
  }
}

async function readAll(stream: Streams['stdin']): Promise<Uint8Array> {
  if (stream.isTTY) throw new InputError(INPUT_IS_TERMINAL);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** A terminal that reads and writes these streams. */
export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  const line = new PassingLine(stderr);
  return {
    out: (text) => {
      if (stdout.isTTY) line.remove();
      stdout.write(text);
    },
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    // Text from files must not control the terminal.
    notice: (text) => {
      line.remove();
      stderr.write(`starfold: ${plainText(text)}\n`);
    },
    progress: (text) => line.show(text),
    usage: (text) => {
      line.remove();
      stderr.write(text);
    },
    input: () => readAll(stdin),
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns || DEFAULT_COLUMNS,
    clock: () => Date.now(),
  };
}

/** The terminal of this process. If the reader stops reading (`| head`), the process ends silently. */
export function processTerminal(): Terminal {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`starfold: ${notWritten(error.message)}\n`);
    process.exit(1);
  });
  return createTerminal(process);
}
