import { Console } from 'node:console';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { Observability } from './batch.ts';
import { createTelemetry } from './telemetry.ts';

const NAMESPACE = 'Starfold';

/** What a function logs, and where to. */
export interface ObservabilityOptions {
  readonly service: string;
  /** Dimension of its metrics, so that what one deployment counts rings no alarm of another. Default: none. */
  readonly stage?: string;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'SILENT';
  /** Where log lines and metrics go. Default: standard output, as Lambda wants it. */
  readonly stream?: NodeJS.WritableStream;
  /** `off` where no CloudWatch reads them. Default: they are published. */
  readonly metrics?: 'off';
}

/** Powertools' logger and metrics for one function. */
export function createObservability(options: ObservabilityOptions): Observability {
  const { service, stage, logLevel, stream } = options;
  const logger = new Logger({ serviceName: service, logLevel });
  const metrics = new Metrics({
    namespace: NAMESPACE,
    serviceName: service,
    ...(stage === undefined ? {} : { defaultDimensions: { stage } }),
  });
  if (stream !== undefined) {
    // Powertools writes to standard output alone; a process that shows something else there needs it elsewhere.
    const elsewhere = new Console(stream);
    Reflect.set(logger, 'console', elsewhere);
    Reflect.set(metrics, 'console', elsewhere);
  }
  if (options.metrics === 'off') Reflect.set(metrics, 'disabled', true);
  return { logger, metrics };
}

/** What a function is given where several run in one process. */
export interface FunctionObservability {
  readonly observability: Observability;
  readonly telemetry: Telemetry;
}

/**
 * Logger, metrics and telemetry of one function among several of a process: its lines go where the process's go, and
 * neither its Lambda context nor what it has counted shows as another's.
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

/** What of a process's observability another thread needs, to log and count as this one does. */
export type ObservabilitySettings = Pick<ObservabilityOptions, 'logLevel' | 'metrics'>;

/** The settings of a process, for its threads. */
export function settingsOf({ logger, metrics }: Observability): ObservabilitySettings {
  // The names of Powertools' levels are these, and CRITICAL, which nobody sets here.
  const logLevel = logger.getLevelName() as ObservabilitySettings['logLevel'];
  return { logLevel, ...(Reflect.get(metrics, 'disabled') === true ? { metrics: 'off' } : {}) };
}

/** Writes lines of other threads where this process writes its own. */
export function lineWriter({ logger }: Observability): (line: string) => void {
  // As observabilityOf has it.
  const own = Reflect.get(logger, 'console') as Console;
  return (line) => own.log(line);
}
