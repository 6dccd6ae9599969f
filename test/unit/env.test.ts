import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EnvironmentError, readEnv } from '#shared/env.ts';

const AGGREGATE = {
  STAGE: 'test',
  TABLE_NAME: 'starfold-test',
  DIRTY_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/111122223333/starfold-test-dirty.fifo',
  HINTS_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/111122223333/starfold-test-hints.fifo',
};

describe('the environment of a function', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(AGGREGATE)) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is read as its template sets it, with INFO as the level of the log', () => {
    expect(readEnv('aggregateWorkload')).toEqual({ ...AGGREGATE, LOG_LEVEL: 'INFO' });
  });

  it.each([
    ['missing', 'DIRTY_QUEUE_URL', undefined],
    ['empty', 'TABLE_NAME', ''],
    ['missing', 'STAGE', undefined],
    ['no URL', 'HINTS_QUEUE_URL', 'starfold-test-hints.fifo'],
    ['unknown', 'LOG_LEVEL', 'LOUD'],
  ])('is rejected if a variable is %s: %s', (_fault, name, value) => {
    vi.stubEnv(name, value);
    expect(() => readEnv('aggregateWorkload')).toThrow(EnvironmentError);
    expect(() => readEnv('aggregateWorkload')).toThrow(
      new RegExp(`environment of aggregateWorkload: ${name}: .*infra/functions.yml`),
    );
  });
});
