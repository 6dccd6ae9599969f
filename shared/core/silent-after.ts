import { parseDuration } from '#shared/core/expression/time.ts';
import { at, type JsonObject } from '#shared/core/json.ts';

/**
 * The annotation of a workload object, Binding or BindingPolicy that sets the time after which a silent WEC counts as a
 * WEC that has reported nothing (docs/rules.md, K1).
 */
export const SILENT_AFTER = 'starfold.dev/silent-after';

/** Two heartbeats of a forwarder that sends one every 30 seconds. */
const SHORTEST_MS = 60_000;
/** Long enough for a WEC that connects once a week. */
const LONGEST_MS = 7 * 24 * 3_600_000;
/** The sweep handles each distinct time separately. With this step, there are at most some thousands of them. */
const STEP_MS = 30_000;
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

/**
 * Reads the annotation `starfold.dev/silent-after` of an object: a duration in the format of Go and Kubernetes, from
 * `1m` to `168h`, in multiples of 30 seconds. An invalid value is an error, and counts as if the annotation were
 * missing.
 */
export function readSilentAfter(object: JsonObject): SilentAfter {
  const value = at(object, 'metadata', 'annotations', SILENT_AFTER);
  if (value === undefined || value === null) return { errors: [] };
  const ms = durationMs(value);
  if (ms !== undefined && ms >= SHORTEST_MS && ms <= LONGEST_MS && ms % STEP_MS === 0)
    return { silentAfterMs: ms, errors: [] };
  const shown = JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
  return {
    errors: [
      `metadata.annotations[${SILENT_AFTER}]: ${shown} does not count: write a duration such as 10m or 1h30m, at least 1m, at most 168h, and a multiple of 30s`,
    ],
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
