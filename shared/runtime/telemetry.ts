import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Telemetry, WorkloadGauge } from '#shared/ports/telemetry.ts';
import type { Observability } from './batch.ts';

/** Publishes a value immediately, because the metrics of an invocation share their dimensions. */
function publishWorkloads(metrics: Metrics, { objects, ...dimensions }: WorkloadGauge): void {
  const metric = metrics.singleMetric();
  // As of the metrics that it belongs to.
  for (const key of ['console', 'disabled']) Reflect.set(metric, key, Reflect.get(metrics, key));
  metric.addDimensions(dimensions);
  metric.addMetric('Workloads', MetricUnit.Count, objects);
}

/**
 * Creates telemetry with Powertools. Counts and times are kept until the end of the invocation, when `withMiddleware` publishes
 * them in CloudWatch's embedded metric format: namespace `Starfold`, dimensions `service` and, on AWS, `stage`. Lines contain
 * the invocation's request id. Create one for each function, so that the counts of one are never published as those of another.
 */
export function createTelemetry({ logger, metrics }: Observability): Telemetry {
  return {
    count: (name, value = 1) => void metrics.addMetric(name, MetricUnit.Count, value),
    changeToWds: (milliseconds) =>
      void metrics.addMetric('ChangeToWds', MetricUnit.Milliseconds, milliseconds),
    workloads: (gauge) => publishWorkloads(metrics, gauge),
    debug: (message, fields) => logger.debug(message, { ...fields }),
    info: (message, fields) => logger.info(message, { ...fields }),
    warn: (message, fields) => logger.warn(message, { ...fields }),
  };
}
