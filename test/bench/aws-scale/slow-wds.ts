import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { EventClock } from '#test/bench/cost/event-clock.ts';
import { slowed } from '#test/bench/cost/functions.ts';
import { AWS } from './assumptions.ts';
import { drawLatency } from './seeded.ts';

/** How a WDS answers. */
export interface WdsLimits {
  readonly clock: EventClock;
  readonly random: () => number;
  /** Undefined: any number. */
  writesPerSecond: number | undefined;
  writes: number;
  /** When the writes that were asked for are done. */
  freeAtMs: number;
}

/** A WDS whose calls take their time, and whose writes wait for their turn. */
export function slowWds(api: ObjectApi, limits: WdsLimits): ObjectApi {
  const { clock, random } = limits;
  const turn = async (): Promise<void> => {
    limits.writes += 1;
    const { writesPerSecond } = limits;
    if (writesPerSecond === undefined) return;
    const now = clock.now();
    limits.freeAtMs = Math.max(now, limits.freeAtMs) + 1_000 / writesPerSecond;
    await clock.sleep(Math.ceil(limits.freeAtMs - now));
  };
  const called = slowed(api, () => clock.sleep(drawLatency(AWS.wds, random)));
  const writing = slowed(called, turn);
  return { ...writing, get: called.get };
}
