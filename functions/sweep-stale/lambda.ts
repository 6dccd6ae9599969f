import type { Context, ScheduledEvent } from 'aws-lambda';
import { type Observability, withMiddleware } from '#functions/sqs/batch.ts';
import { type SweepStaleDeps, sweepStale } from './use-case.ts';

/** A Lambda function that a schedule starts. */
export type ScheduledHandler = (event: ScheduledEvent, context: Context) => Promise<void>;

const MAX_NAMED = 20;

/** The function behind the schedule: WECs that have fallen silent, or speak again. It logs what has changed. */
export function createSweepStale(
  deps: SweepStaleDeps,
  observability: Observability,
): ScheduledHandler {
  return withMiddleware<ScheduledEvent, void>(async () => {
    const { silent, speaking } = await sweepStale(deps);
    const { logger } = observability;
    const said = (wecs: readonly string[]) => ({
      wecs: wecs.slice(0, MAX_NAMED),
      count: wecs.length,
    });
    if (silent.length > 0) logger.warn('WECs have fallen silent', said(silent));
    if (speaking.length > 0) logger.info('WECs speak again', said(speaking));
  }, observability);
}
