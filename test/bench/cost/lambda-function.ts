import { Writable } from 'node:stream';
import type { Observability } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { MODEL } from './deployment.ts';
import type { EventClock } from './event-clock.ts';
import type { Meter } from './meter.ts';

const GIB = 1024 ** 3;
const MB_PER_GB = 1024;
const KIB = 1024;

/** Metrics that were published: their names with their dimensions, as CloudWatch charges them. */
export type MetricNames = Set<string>;

/** The bill of one Lambda function, and what it logs. */
export class LambdaFunction {
  readonly name: string;
  readonly observability: Observability;
  readonly #meter: Meter;
  readonly #clock: EventClock;
  readonly #memoryMb: number;

  constructor(
    what: { readonly name: string; readonly memoryMb: number },
    world: { readonly meter: Meter; readonly clock: EventClock; readonly metrics: MetricNames },
  ) {
    this.name = what.name;
    this.#memoryMb = what.memoryMb;
    this.#meter = world.meter;
    this.#clock = world.clock;
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#log(chunk.length);
        collectMetrics(chunk.toString(), world.metrics);
        done();
      },
    });
    this.observability = createObservability({ service: what.name, logLevel: 'INFO', stream });
  }

  /** The processor time that decoding or encoding so many bytes takes. */
  compute(bytes: number): void {
    const ms = ((bytes / KIB) * MODEL.cpuMsPerKib * MODEL.vcpuMemoryMb) / this.#memoryMb;
    this.#charge(ms, 'computing');
  }

  /** Runs an invocation and bills its duration. */
  async invoke<T>(run: () => Promise<T>): Promise<T> {
    const began = this.#clock.now();
    try {
      return await run();
    } finally {
      this.#charge(MODEL.overheadMs, 'overhead');
      this.#charge(this.#clock.now() - began, 'waiting');
      this.#meter.add('Lambda invocations', this.name, 1);
      this.#log(MODEL.platformLogBytes);
    }
  }

  #charge(ms: number, detail: string): void {
    const gbSeconds = (ms / 1000) * (this.#memoryMb / MB_PER_GB);
    this.#meter.add('Lambda GB-s', `${this.name} ${detail}`, gbSeconds);
  }

  #log(bytes: number): void {
    this.#meter.add('CloudWatch log GB', this.name, (bytes + MODEL.logLineBytes) / GIB);
  }
}

/** Adds the metrics that a line of CloudWatch's embedded metric format names. */
function collectMetrics(text: string, names: MetricNames): void {
  if (!text.includes('"CloudWatchMetrics"')) return;
  for (const [, name = ''] of text.matchAll(/"Name":"([^"]+)"/g)) {
    const service = /"service":"([^"]*)"/.exec(text)?.[1] ?? '';
    names.add(`${service} ${name}`);
  }
}
