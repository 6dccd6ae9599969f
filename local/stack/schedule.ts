import type { Context, ScheduledEvent } from 'aws-lambda';
import { localContext } from './poller.ts';

/** Does what a schedule of EventBridge does: invokes a function repeatedly. */
export interface ScheduleOptions {
  readonly name: string;
  readonly handler: (event: ScheduledEvent, context: Context) => Promise<void>;
  /** The time from the end of an invocation to the next, and from the start to the first. */
  readonly everyMs: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called if an invocation failed. The schedule continues. */
  readonly onError: (error: unknown) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

function scheduledEvent(name: string, nowMs: number): ScheduledEvent {
  return {
    version: '0',
    id: `${name}-${nowMs}`,
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: new Date(nowMs).toISOString(),
    region: 'local',
    resources: [`arn:aws:events:local:000000000000:rule/${name}`],
    detail: {},
  };
}

/** Invokes a function on a schedule until it is stopped. `stop` waits for a running invocation. */
export function startSchedule(options: ScheduleOptions): { stop(): Promise<void> } {
  const { name, handler, everyMs, clock, onError, sleep } = options;
  const abort = new AbortController();
  const loop = async (): Promise<void> => {
    for (;;) {
      await sleep(everyMs, abort.signal);
      if (abort.signal.aborted) return;
      const event = scheduledEvent(name, clock());
      await handler(event, localContext(name, event.id)).catch(onError);
    }
  };
  const running = loop();
  return {
    async stop() {
      abort.abort();
      await running;
    },
  };
}
