import { expect, it } from 'vitest';
import { forwarderTimes } from '#functions/event-forwarder/program/forwarder-times.ts';

const SQS = { sqs: { url: 'https://sqs.eu-central-1.amazonaws.com/111122223333/q' } };
const HTTP = { http: { url: 'https://starfold.example.com:8443', tokenFile: 'token' } };
const LEFT_OUT = { batchMilliseconds: null, heartbeatSeconds: null, resyncHours: 10 };
const SET = { batchMilliseconds: 5, heartbeatSeconds: 7, resyncHours: 1 };

it.each([
  ['to SQS, seldom', SQS, LEFT_OUT, [200, 120_000, 36_000_000]],
  [
    'by HTTP, twice in the shortest time of starfold.dev/silent-after',
    HTTP,
    LEFT_OUT,
    [0, 30_000, 36_000_000],
  ],
  ['to SQS, as it is configured', SQS, SET, [5, 7_000, 3_600_000]],
  ['by HTTP, as it is configured', HTTP, SET, [5, 7_000, 3_600_000]],
] as const)('a forwarder sends heartbeats %s', (...[, queue, config, times]) => {
  const { windowMs, heartbeatMs, resyncMs } = forwarderTimes({ queue, ...config });
  expect([windowMs, heartbeatMs, resyncMs]).toEqual(times);
});
