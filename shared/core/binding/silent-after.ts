import { parseDuration } from '#shared/core/expression/time.ts';
import { at, type JsonObject } from '#shared/core/json.ts';

/**
 * The annotation of a workload object, Binding or BindingPolicy that sets the time after which a silent WEC counts as a
 * WEC that has reported nothing (docs/rules.md, K1).
 */
export const SILENT_AFTER = 'starfold.dev/silent-after';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Two heartbeats of a forwarder that sends one every 30 seconds. */
const SHORTEST_MS = MINUTE_MS;

/**
 * Up to each time, the step between the times that count. The sweep handles each distinct time separately, so the number
 * of times is bounded, whatever users write: there are 53. The longest is enough for a WEC that connects once a week.
 */
const STEPS: readonly (readonly [upToMs: number, stepMs: number])[] = [
  [5 * MINUTE_MS, MINUTE_MS / 2],
  [15 * MINUTE_MS, MINUTE_MS],
  [HOUR_MS, 5 * MINUTE_MS],
  [6 * HOUR_MS, 30 * MINUTE_MS],
  [24 * HOUR_MS, 2 * HOUR_MS],
  [7 * 24 * HOUR_MS, 24 * HOUR_MS],
];

const NANOS_PER_MS = 1_000_000n;
/** At most this much of an invalid value is shown. */
const SHOWN_CHARACTERS = 40;

/** The content of the annotation of an object. */
export interface SilentAfter {
  /** In milliseconds. Absent if the annotation is missing or invalid. */
  readonly silentAfterMs?: number;
  /** The error in the value, and what to write instead. */
  readonly errors: readonly string[];
}

function durationMs(value: unknown): number | undefined {
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined || duration.nanos % NANOS_PER_MS !== 0n) return undefined;
  return Number(duration.nanos / NANOS_PER_MS);
}

function counts(ms: number): boolean {
  const [, step] = STEPS.find(([upTo]) => ms <= upTo) ?? [];
  return step !== undefined && ms >= SHORTEST_MS && ms % step === 0;
}

/** A value of the annotation, as JSON, that is none of {@link STEPS}. */
export function noDuration(value: string): string {
  return `${value} does not count: write a duration from 1m to 168h such as 10m or 1h30m: up to 5m a multiple of 30s, up to 15m of 1m, up to 1h of 5m, up to 6h of 30m, up to 24h of 2h, beyond that of 24h`;
}

/**
 * Reads the annotation `starfold.dev/silent-after` of an object: a duration in the format of Go and Kubernetes, from
 * `1m` to `168h`, in the steps of {@link STEPS}. An invalid value is an error, and counts as if the annotation were
 * missing.
 */
export function readSilentAfter(object: JsonObject): SilentAfter {
  const value = at(object, 'metadata', 'annotations', SILENT_AFTER);
  if (value === undefined || value === null) return { errors: [] };
  const ms = durationMs(value);
  if (ms !== undefined && counts(ms)) return { silentAfterMs: ms, errors: [] };
  const shown = JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
  return {
    errors: [`metadata.annotations[${SILENT_AFTER}]: ${noDuration(shown)}`],
  };
}

/**
 * The time after which a silent WEC counts as a WEC that has reported nothing about a workload object, in milliseconds:
 * the value of the object, or otherwise the shortest time of its Bindings. If `undefined`, the report of a WEC counts
 * regardless of how long the WEC is silent.
 *
 * @param bindings the Bindings that count for the object
 */
export function silentAfterOf(
  object: JsonObject,
  bindings: readonly Pick<SilentAfter, 'silentAfterMs'>[],
): number | undefined {
  const { silentAfterMs } = readSilentAfter(object);
  if (silentAfterMs !== undefined) return silentAfterMs;
  const times = bindings.flatMap((binding) => binding.silentAfterMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
