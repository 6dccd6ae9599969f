import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE = join(import.meta.dirname, 'probe.js');
const END_MS = 30_000;
const ANSWER_MS = 30_000;
const KEPT_OUTPUT = 20_000;
/** Linux counts the CPU of processes in hundredths of a second, and memory in kB. */
const TICKS_PER_SECOND = 100;

/** What a process uses. */
export interface Usage {
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** The most that it ever was. */
  readonly peakRss: number;
  readonly heapUsed: number;
  /** Since its start. */
  readonly cpuSeconds: number;
}

/** A process of the system under test. */
export class Process {
  readonly name: string;
  readonly #child: ChildProcess;
  #output = '';

  /** @param args script and arguments for Node */
  constructor(name: string, args: readonly string[]) {
    this.name = name;
    this.#child = spawn(process.execPath, ['--expose-gc', '--import', PROBE, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = `${this.#output}${text}`.slice(-KEPT_OUTPUT);
      });
    // An ended process does not take messages; that it has ended is noticed elsewhere.
    this.#child.on('error', () => undefined);
  }

  /** Whether it runs. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The end of what it has printed. */
  get output(): string {
    return this.#output;
  }

  /**
   * Waits until it has printed something.
   *
   * @returns the match
   * @throws Error when it has not done so within the time, or has ended; with the end of its output.
   */
  async printed(pattern: RegExp, ms: number): Promise<RegExpExecArray> {
    for (const end = Date.now() + ms; Date.now() < end && this.isAlive; await sleep(50)) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
    }
    const when = this.isAlive ? `within ${ms / 1000} s` : 'before it ended';
    throw new Error(`${this.name} did not print ${pattern} ${when}:\n${this.#output}`);
  }

  /** Ends it with a signal, and with SIGKILL if that takes too long. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isAlive) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    const killing = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await exited;
    clearTimeout(killing);
  }

  /** What the heap holds after a full collection, in bytes. */
  liveHeap(): Promise<number> {
    return this.#ask('gc');
  }

  /** @throws Error when the process has ended. */
  async usage(): Promise<Usage> {
    this.#requireAlive();
    const { pid } = this.#child;
    const [status, stat, heapUsed] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
      this.#ask('heap'),
    ]);
    const kilobytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
    // The name of the program, in brackets, may hold spaces; user and system time are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const [rss, peakRss] = [kilobytes('VmRSS'), kilobytes('VmHWM')];
    return { rss, peakRss, heapUsed, cpuSeconds: ticks / TICKS_PER_SECOND };
  }

  async #ask(question: 'heap' | 'gc'): Promise<number> {
    this.#requireAlive();
    const waiting = new AbortController();
    const answered = once(this.#child, 'message', { signal: waiting.signal });
    const late = setTimeout(() => waiting.abort(), ANSWER_MS);
    const onExit = (): void => waiting.abort();
    this.#child.once('exit', onExit);
    try {
      this.#child.send(question);
      return Number((await answered)[0]);
    } catch (error) {
      throw new Error(`${this.name} does not say what its heap holds:\n${this.#output}`, {
        cause: error,
      });
    } finally {
      clearTimeout(late);
      this.#child.off('exit', onExit);
    }
  }

  #requireAlive(): void {
    if (!this.isAlive) throw new Error(`${this.name} has ended:\n${this.#output}`);
  }
}
