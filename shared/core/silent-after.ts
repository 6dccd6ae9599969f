import { parseDuration } from '#shared/core/expression/time.ts';
import { at, type JsonObject } from '#shared/core/json.ts';

/**
 * The annotation of a workload object, Binding or BindingPolicy that says after how long a silent WEC counts as one that
 * has said nothing (docs/rules.md, K1).
 */
export const SILENT_AFTER = 'starfold.dev/silent-after';

/** Two heartbeats of a forwarder that sends one every 30 seconds. */
const SHORTEST_MS = 60_000;
/** A WEC that connects once a week may be waited for. */
const LONGEST_MS = 7 * 24 * 3_600_000;
/** The sweep looks at each different time by itself: so there are some thousands at most. */
const STEP_MS = 30_000;
const NANOS_PER_MS = 1_000_000n;
/** So much of a wrong value is shown. */
const SHOWN_CHARACTERS = 40;

/** What the annotation of an object says. */
export interface SilentAfter {
  /** In milliseconds; absent: the object has no annotation, or a wrong one. */
  readonly silentAfterMs?: number;
  /** What is wrong with the value, and what to write instead. */
  readonly errors: readonly string[];
}

function durationMs(value: unknown): number | undefined {
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined || duration.nanos % NANOS_PER_MS !== 0n) return undefined;
  return Number(duration.nanos / NANOS_PER_MS);
}

/**
 * Reads the annotation `starfold.dev/silent-after` of an object: a duration as Go and Kubernetes write it, from `1m` to
 * `168h`, in whole half minutes. A wrong value is an error, and counts as if the annotation were missing.
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
 * After how long a silent WEC counts as one that has said nothing of a workload object, in milliseconds: what the object
 * says, or else the shortest time of its Bindings; `undefined`: what a WEC has said counts for however long it is silent.
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
