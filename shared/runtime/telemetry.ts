import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { Observability } from './batch.ts';

/**
 * Telemetry by Powertools: counts and times are kept until the end of the invocation (`withMiddleware` publishes them as
 * CloudWatch's embedded metric format: namespace `Starfold`, dimensions `service` and, on AWS, `stage`); lines carry
 * the invocation's request id. Make one for each function, so that what one counts is never published as another's.
 */
export function createTelemetry({ logger, metrics }: Observability): Telemetry {
  return {
    count: (name, value = 1) => void metrics.addMetric(name, MetricUnit.Count, value),
    changeToWds: (milliseconds) =>
      void metrics.addMetric('ChangeToWds', MetricUnit.Milliseconds, milliseconds),
    debug: (message, fields) => logger.debug(message, { ...fields }),
    info: (message, fields) => logger.info(message, { ...fields }),
    warn: (message, fields) => logger.warn(message, { ...fields }),
  };
}
