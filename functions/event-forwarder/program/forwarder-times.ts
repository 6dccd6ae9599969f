import type { ForwarderTimes } from '#functions/event-forwarder/forwarder-options.ts';
import type { ForwarderConfig } from './config.ts';

/** The times that a configuration may leave out, in milliseconds. Each message to SQS is billed, and a request by HTTP is not. */
const DEFAULTS = {
  sqs: { windowMs: 200, heartbeatMs: 120_000 },
  http: { windowMs: 0, heartbeatMs: 30_000 },
} as const;

/** The times of the forwarder, from a configuration that was checked (docs/forwarder.md, "Configuration"). */
export function forwarderTimes({
  queue,
  batchMilliseconds,
  heartbeatSeconds,
  resyncHours,
}: Pick<
  ForwarderConfig,
  'queue' | 'batchMilliseconds' | 'heartbeatSeconds' | 'resyncHours'
>): Required<ForwarderTimes> {
  const { windowMs, heartbeatMs } = DEFAULTS[queue.http === undefined ? 'sqs' : 'http'];
  return {
    windowMs: batchMilliseconds ?? windowMs,
    heartbeatMs: heartbeatSeconds === null ? heartbeatMs : heartbeatSeconds * 1_000,
    resyncMs: resyncHours * 3_600_000,
  };
}
