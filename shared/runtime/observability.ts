import { Console } from 'node:console';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { Observability } from './batch.ts';
import { createTelemetry } from './telemetry.ts';

const NAMESPACE = 'Starfold';

/** Options of logs and metrics. */
export interface ObservabilityOptions {
  readonly service: string;
  /** A dimension of the metrics, so that the counts of one deployment do not trigger alarms of another. Default: none. */
  readonly stage?: string;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'SILENT';
  /** The output of log lines and metrics. Default: standard output, as Lambda requires. */
  readonly stream?: NodeJS.WritableStream;
  /** `off` if no CloudWatch reads them. Default: they are published. */
  readonly metrics?: 'off';
}

/** Creates Powertools' logger and metrics for one function. */
export function createObservability(options: ObservabilityOptions): Observability {
  const { service, stage, logLevel, stream } = options;
  const logger = new Logger({ serviceName: service, logLevel });
  const metrics = new Metrics({
    namespace: NAMESPACE,
    serviceName: service,
    ...(stage === undefined ? {} : { defaultDimensions: { stage } }),
  });
  if (stream !== undefined) {
    // Powertools only writes to standard output. A process that shows something else there needs another stream.
    const elsewhere = new Console(stream);
    Reflect.set(logger, 'console', elsewhere);
    Reflect.set(metrics, 'console', elsewhere);
  }
  if (options.metrics === 'off') Reflect.set(metrics, 'disabled', true);
  return { logger, metrics };
}

/** The observability of one function if several run in one process. */
export interface FunctionObservability {
  readonly observability: Observability;
  readonly telemetry: Telemetry;
}

/**
 * Creates logger, metrics and telemetry for one of several functions of a process. The lines go to the same stream as those of
 * the process. The Lambda context and the counts of one function do not appear as those of another.
 */
export function observabilityOf(process: Observability, service: string): FunctionObservability {
  const logger = process.logger.createChild({ serviceName: service });
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: service });
  Reflect.set(logger, 'console', Reflect.get(process.logger, 'console'));
  for (const key of ['console', 'disabled'])
    Reflect.set(metrics, key, Reflect.get(process.metrics, key));
  const observability = { logger, metrics };
  return { observability, telemetry: createTelemetry(observability) };
}

/** The settings that another thread needs to log and count like this one. */
export type ObservabilitySettings = Pick<ObservabilityOptions, 'logLevel' | 'metrics'>;

/** The settings of a process, for its threads. */
export function settingsOf({ logger, metrics }: Observability): ObservabilitySettings {
  // The names of Powertools' levels are these and CRITICAL, which is never set here.
  const logLevel = logger.getLevelName() as ObservabilitySettings['logLevel'];
  return { logLevel, ...(Reflect.get(metrics, 'disabled') === true ? { metrics: 'off' } : {}) };
}

/** Writes the lines of other threads to the same stream as this process. */
export function lineWriter({ logger }: Observability): (line: string) => void {
  // As in observabilityOf.
  const own = Reflect.get(logger, 'console') as Console;
  return (line) => own.log(line);
}
