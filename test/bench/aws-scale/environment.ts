import { MODEL } from '#test/bench/cost/deployment.ts';
import type { EventClock } from '#test/bench/cost/event-clock.ts';
import { AWS } from './assumptions.ts';
import { RetryTokens } from './retry-tokens.ts';

const KIB = 1_024;

/** An execution environment of a function: its share of a processor, which does one thing at a time, and its SDK client. */
export class Environment {
  readonly tokens = new RetryTokens();
  readonly #clock: EventClock;
  readonly #msPerByte: number;
  #busyUntil = 0;

  constructor(memoryMb: number, clock: EventClock) {
    this.#clock = clock;
    this.#msPerByte = ((MODEL.cpuMsPerKib / KIB) * AWS.wholeCpuMb) / memoryMb;
  }

  /** Waits for a call, and then for the processor, which decodes or encodes so many bytes. */
  async call(ms: number, bytes: number): Promise<void> {
    const now = this.#clock.now();
    this.#busyUntil = Math.max(now, this.#busyUntil) + bytes * this.#msPerByte;
    await this.#clock.sleep(Math.max(ms, Math.ceil(this.#busyUntil - now)));
  }
}
