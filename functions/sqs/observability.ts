import { Console } from 'node:console';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Observability } from './batch.ts';

/** What a function logs, and where to. */
export interface ObservabilityOptions {
  readonly service: string;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'SILENT';
  /** Where log lines and metrics go. Default: standard output, as Lambda wants it. */
  readonly stream?: NodeJS.WritableStream;
}

/** Powertools' logger and metrics for one function. */
export function createObservability(options: ObservabilityOptions): Observability {
  const { service, logLevel, stream } = options;
  const logger = new Logger({ serviceName: service, logLevel });
  const metrics = new Metrics({ namespace: 'Starfold', serviceName: service });
  if (stream !== undefined) {
    // Powertools writes to standard output alone; a process that shows something else there needs it elsewhere.
    const elsewhere = new Console(stream);
    Reflect.set(logger, 'console', elsewhere);
    Reflect.set(metrics, 'console', elsewhere);
  }
  return { logger, metrics };
}
