import { Readable, Writable } from 'node:stream';
import { createApiDoor } from '#local/cli/door/api-door.ts';
import type { Door } from '#local/cli/door/door.ts';
import { type GetOptions, runGet } from '#local/cli/get/run.ts';
import { createTerminal, type Terminal } from '#local/cli/terminal/terminal.ts';
import type { FakeStatusSource } from '#test/fakes/status-source.ts';

/** A terminal that keeps what is written. */
export class KeptTerminal {
  out = '';
  err = '';
  readonly terminal: Terminal;
  readonly #waiting: (() => void)[] = [];

  /** @param columns the width of a terminal; absent for a pipe */
  constructor(columns?: number) {
    const stream = (add: (text: string) => void): Writable =>
      new Writable({
        write: (chunk, _encoding, done) => {
          add(String(chunk));
          for (const wake of this.#waiting.splice(0)) wake();
          done();
        },
      });
    const stdout = stream((text) => {
      this.out += text;
    });
    const tty = columns === undefined ? {} : { isTTY: true, columns };
    this.terminal = createTerminal({
      stdin: Readable.from([]),
      stdout: Object.assign(stdout, tty),
      stderr: stream((text) => {
        this.err += text;
      }),
    });
  }

  /** Resolves when something that was written is as it should be. */
  async until(is: (kept: KeptTerminal) => boolean): Promise<void> {
    while (!is(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

export const NOW = Date.parse('2026-11-25T10:00:00Z');

/** A door over statuses in memory. */
export function doorOver(source: FakeStatusSource): Door {
  return createApiDoor({
    ...{ name: 'memory', source, watch: true },
    clock: () => NOW,
    close: () => undefined,
  });
}

/** The waiting of a watch, without time. */
export const WAITING = {
  sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
  random: () => 0,
};

/** Runs the command over a door. */
export async function get(
  door: Door,
  args: readonly string[],
  { columns, ...options }: Partial<GetOptions> & { readonly columns?: number } = {},
): Promise<KeptTerminal> {
  const kept = new KeptTerminal(columns);
  const { terminal } = kept;
  const { signal } = new AbortController();
  const all = { chunkSize: 500, ...options };
  await runGet(args, all, { door, terminal, waiting: WAITING, signal });
  return kept;
}
