import { join } from 'node:path';
import { Process } from './process.ts';

const FORWARDER = join(import.meta.dirname, '../../functions/event-forwarder/program/main.ts');
const START_MS = 60_000;

/** A forwarder's program, which may be started again. */
export class ForwarderProgram {
  readonly #args: readonly string[];
  readonly #name: string;
  /** The one that runs now. */
  process: Process;
  #port = 0;
  /** Events that former processes have sent. */
  #sentBefore = 0;
  /** CPU seconds of former processes. */
  cpuBefore = 0;

  /**
   * @param config path of its configuration; its server has port 0
   * @param program the file, and options of Node. Default: the source, and none
   */
  constructor(
    name: string,
    config: string,
    program: { readonly file?: string; readonly nodeOptions?: readonly string[] } = {},
  ) {
    const { file = FORWARDER, nodeOptions = [] } = program;
    this.#name = name;
    this.#args = [...nodeOptions, file, '--config', config];
    this.process = new Process(this.#name, this.#args);
  }

  /**
   * Waits until it answers for its metrics.
   *
   * @throws Error with the end of its output when it does not.
   */
  async started(): Promise<void> {
    const [, port] = await this.process.printed(/"message":"started".*?"port":(\d+)/, START_MS);
    this.#port = Number(port);
  }

  /** A metric of the process; the sum over its labels. */
  async metric(name: string): Promise<number> {
    const url = `http://127.0.0.1:${this.#port}/metrics`;
    const response = await fetch(url, { signal: AbortSignal.timeout(START_MS) });
    const text = await response.text();
    const lines = text.matchAll(new RegExp(`^starfold_forwarder_${name}(?:{.*?})? (\\S+)$`, 'gm'));
    return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Events that the queue has accepted, of all processes of this forwarder. */
  async sent(): Promise<number> {
    return this.#sentBefore + (await this.metric('events_sent_total'));
  }

  /** Ends the process with a signal, and starts another one. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    this.#sentBefore = await this.sent();
    this.cpuBefore += (await this.process.usage()).cpuSeconds;
    await this.process.end(signal);
    this.process = new Process(this.#name, this.#args);
    await this.started();
  }
}
