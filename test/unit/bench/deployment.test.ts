import { describe, expect, it } from 'vitest';
import { parseDeployment, readDeployment, varied } from '#test/bench/cost/deployment.ts';

function fed(sqs: string): string {
  return `{ memorySize: 512, events: [{ sqs: { arn: !GetAtt Queue.Arn, ${sqs} } }] }`;
}

function functionsFile(
  recordEvents = fed('batchSize: 100, maximumBatchingWindow: 1, maximumConcurrency: 4'),
): string {
  const fifo = fed('batchSize: 10, maximumConcurrency: 50');
  return [
    `record-events: ${recordEvents}`,
    `aggregate-workload: ${fifo}`,
    `write-results: ${fifo}`,
    'sweep-stale: { memorySize: 256, environment: { TABLE_NAME: !Ref Table } }',
  ].join('\n');
}

describe('a deployment', () => {
  it('says how Lambda feeds a function, with the window in milliseconds', () => {
    expect(parseDeployment(functionsFile()).functions['record-events']).toEqual({
      memoryMb: 512,
      batchSize: 100,
      windowMs: 1_000,
      concurrency: 4,
    });
  });

  it('has no window for a queue that says nothing of one, as a FIFO queue', () => {
    expect(parseDeployment(functionsFile()).functions['write-results'].windowMs).toBe(0);
  });

  it('says the memory of the function that no queue feeds', () => {
    expect(parseDeployment(functionsFile()).sweepMemoryMb).toBe(256);
  });

  it.each([
    ['the size of a batch', fed('maximumConcurrency: 4')],
    ['the concurrency', fed('batchSize: 100')],
    ['the queue', '{ memorySize: 512, events: [] }'],
    ['the memory', '{ events: [{ sqs: { arn: a, batchSize: 1, maximumConcurrency: 2 } }] }'],
  ])('is rejected without %s, which the model could only guess', (_what, recordEvents) => {
    expect(() => parseDeployment(functionsFile(recordEvents))).toThrow();
  });

  it('is what infra/functions.yml says: batches of standard queues may be large, those of FIFO queues not', () => {
    const { functions } = readDeployment();
    expect(functions['record-events'].windowMs).toBeGreaterThan(0);
    expect(functions['aggregate-workload']).toMatchObject({ batchSize: 10, windowMs: 0 });
    expect(functions['write-results']).toMatchObject({ batchSize: 10, windowMs: 0 });
  });
});

describe('a variant', () => {
  const delivered = parseDeployment(functionsFile());

  it('changes what it names and nothing else', () => {
    const { functions, sweepMemoryMb } = varied(delivered, { 'record-events': { concurrency: 9 } });
    expect(functions).toEqual({
      ...delivered.functions,
      'record-events': { ...delivered.functions['record-events'], concurrency: 9 },
    });
    expect(sweepMemoryMb).toBe(256);
  });

  it('that names nothing is the deployment itself', () => {
    expect(varied(delivered, {})).toEqual(delivered);
  });
});
