import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { localContext } from '#local/stack/poller.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import { withMiddleware } from '#shared/runtime/batch.ts';
import { createObservability, observabilityOf } from '#shared/runtime/observability.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { createObservedOutput } from './observed-output.ts';

const CONTEXT = localContext('write-results', 'request-1');
const WEB = { wds: 'wds1', workload: 'wds1/apps/deployments/shop/web' };

/** One invocation of a function that does this. */
async function invocation(run: (telemetry: Telemetry) => void | Promise<void>) {
  const { observability, lines } = createObservedOutput();
  const telemetry = createTelemetry(observability);
  const handler = withMiddleware(async () => run(telemetry), observability);
  await handler({}, CONTEXT).catch(() => undefined);
  return lines();
}

describe('metrics', () => {
  it('are one line of the embedded metric format at the end of the invocation', async () => {
    const lines = await invocation((telemetry) => {
      telemetry.count('Writes', 3);
      telemetry.count('WriteConflicts');
      telemetry.changeToWds(1500);
    });
    expect(lines).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            {
              Namespace: 'Starfold',
              Dimensions: [['service']],
              Metrics: [
                { Name: 'Writes', Unit: 'Count' },
                { Name: 'WriteConflicts', Unit: 'Count' },
                { Name: 'ChangeToWds', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        service: 'test',
        Writes: 3,
        WriteConflicts: 1,
        ChangeToWds: 1500,
      },
    ]);
  });

  it('of workload objects have dimensions of their own, and are published immediately', async () => {
    const { observability, lines } = createObservedOutput({ stage: 'dev' });
    const telemetry = createTelemetry(observability);
    const gauge = { wds: 'wds1', resource: 'services', verdict: 'None', objects: 7 };
    telemetry.workloads(gauge);
    const { objects, ...dimensions } = gauge;
    expect(lines()).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            {
              Namespace: 'Starfold',
              Dimensions: [['service', 'stage', 'wds', 'resource', 'verdict']],
              Metrics: [{ Name: 'Workloads', Unit: 'Count' }],
            },
          ],
        },
        ...{ service: 'test', stage: 'dev', ...dimensions, Workloads: objects },
      },
    ]);
  });

  it('have the stage as a dimension, in each invocation', async () => {
    const { observability, lines } = createObservedOutput({ stage: 'dev' });
    const telemetry = createTelemetry(observability);
    const handler = withMiddleware(async () => telemetry.count('Folds'), observability);
    await handler({}, CONTEXT);
    await handler({}, CONTEXT);
    const dimensions = [expect.arrayContaining(['service', 'stage'])];
    const line = { _aws: { CloudWatchMetrics: [{ Dimensions: dimensions }] }, stage: 'dev' };
    expect(lines()).toMatchObject([line, line]);
  });

  it('keep every value of an invocation', async () => {
    const lines = await invocation((telemetry) => {
      for (const milliseconds of [5, 7]) telemetry.changeToWds(milliseconds);
      for (const count of [1, 2]) telemetry.count('Folds', count);
    });
    expect(lines).toMatchObject([{ ChangeToWds: [5, 7], Folds: [1, 2] }]);
  });

  it('survive an error of the handler', async () => {
    const lines = await invocation((telemetry) => {
      telemetry.count('Writes');
      throw new Error('down');
    });
    expect(lines).toMatchObject([{ Writes: 1 }]);
  });

  it('of one invocation are not those of the next', async () => {
    const { observability, lines } = createObservedOutput();
    const telemetry = createTelemetry(observability);
    const handler = withMiddleware(async () => telemetry.count('Folds'), observability);
    await handler({}, CONTEXT);
    await handler({}, CONTEXT);
    expect(lines()).toMatchObject([{ Folds: 1 }, { Folds: 1 }]);
  });

  it('are not written if they are off', async () => {
    const stream = new PassThrough();
    const made = createObservability({
      service: 'all',
      logLevel: 'INFO',
      stream,
      metrics: 'off',
    });
    for (const { observability, telemetry } of [
      { observability: made, telemetry: createTelemetry(made) },
      observabilityOf(made, 'one'),
    ])
      await withMiddleware(async () => telemetry.count('Folds'), observability)({}, CONTEXT);
    expect(stream.read()).toBe(null);
  });
});

describe('log lines', () => {
  it('have the request id and the fields they were given', async () => {
    const lines = await invocation((telemetry) => {
      telemetry.info('written', { ...WEB, revision: 7 });
      telemetry.warn('refused', { ...WEB, wec: 'wec1', version: '1.2' });
    });
    const context = { service: 'test', function_request_id: 'request-1' };
    expect(lines).toMatchObject([
      { level: 'INFO', message: 'written', ...WEB, revision: 7, ...context },
      { level: 'WARN', message: 'refused', ...WEB, wec: 'wec1', version: '1.2', ...context },
    ]);
  });

  it('for debugging are written if they are asked for alone', async () => {
    expect(await invocation((telemetry) => telemetry.debug('aggregated', WEB))).toEqual([]);
    const stream = new PassThrough();
    const made = createObservability({ service: 'test', logLevel: 'DEBUG', stream });
    createTelemetry(made).debug('aggregated', WEB);
    expect(JSON.parse(String(stream.read()))).toMatchObject({ level: 'DEBUG', ...WEB });
  });
});

describe('functions of one process', () => {
  it('share neither Lambda context nor counts; their lines go where those of the process go', async () => {
    const output = createObservedOutput();
    const [writer, sweeper] = ['write-results', 'sweep-stale'].map((service) => {
      const { observability, telemetry } = observabilityOf(output.observability, service);
      const context = localContext(service, `request of ${service}`);
      const handler = withMiddleware(async (step: () => Promise<void>) => {
        telemetry.count('Writes');
        await step();
        telemetry.info('done', {});
      }, observability);
      return (step: () => Promise<void>) => handler(step, context);
    });
    // The second runs from begin to end while the first is at work.
    await writer?.(async () => sweeper?.(async () => undefined));
    output.observability.logger.info('beside them');
    const lines = output.lines();
    expect(lines).toMatchObject([
      {
        message: 'done',
        service: 'sweep-stale',
        function_request_id: 'request of sweep-stale',
        function_name: 'sweep-stale',
      },
      { Writes: 1, service: 'sweep-stale' },
      {
        message: 'done',
        service: 'write-results',
        function_request_id: 'request of write-results',
        function_name: 'write-results',
      },
      { Writes: 1, service: 'write-results' },
      { message: 'beside them', service: 'test' },
    ]);
    expect(lines[4]).not.toHaveProperty('function_request_id');
  });
});
