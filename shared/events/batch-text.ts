import { gunzipSync } from 'node:zlib';
import type { ReturnedObject } from '#shared/core/event.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { messageOf } from '#shared/errors.ts';
import { BODY_LIMITS } from './limits.ts';
import { largeBatch } from './messages.ts';
import { type Excess, type Range, scanBatch } from './scan.ts';

/** The approximate memory of a value besides its text: that of an empty object, measured with Node 24. */
const VALUE_HEAP_BYTES = 64;

/** The same of an event besides its values. An event that cannot be used is as expensive, because its faults are looked for. */
const EVENT_HEAP_BYTES = 1024;

/** A body as JSON. */
export interface BatchText {
  readonly batch: JsonValue;
  /** Why events exceed a limit, by their positions. In the batch, `null` replaces these events. */
  readonly faults: ReadonlyMap<number, string>;
  /**
   * The length in bytes of a spec and status that are too large to keep, by the positions of their events. `null` replaces
   * them.
   */
  readonly oversized: ReadonlyMap<number, number>;
  /** The positions of events that are nested too deeply for a WEC, but not for a WDS. */
  readonly tooDeepForWec: ReadonlySet<number>;
  /** The approximate memory of the body. */
  readonly heapBytes: number;
}

/** Replaces some ranges of a text with `null`, so that they are not even parsed. */
function without(text: string, ranges: readonly Range[]): string {
  let kept = '';
  let end = 0;
  for (const { from, to } of ranges) {
    kept += `${text.slice(end, from)}null`;
    end = to;
  }
  return kept + text.slice(end);
}

function cutOf(excess: Excess): readonly Range[] {
  return excess.fault === undefined ? excess.returned : [excess];
}

/** A body that is not a batch. */
export interface UnreadableBody {
  readonly fault: string;
  /** The approximate memory that was taken until the fault was found. */
  readonly heapBytes: number;
}

function textOf(body: string): string {
  if (body.startsWith('[')) return body;
  const { inflatedBytes: maxOutputLength } = BODY_LIMITS;
  return gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength }).toString();
}

/**
 * Reads the JSON of a message's body, plain or compressed, if it is within {@link BODY_LIMITS}. Parts that exceed a limit are
 * not parsed.
 *
 * @returns the fault of the body as a whole, if there is one
 */
export function readBatch(body: string): BatchText | UnreadableBody {
  // Until the length is known, a compressed text counts as the longest one.
  let heapBytes: number = BODY_LIMITS.inflatedBytes;
  try {
    const text = textOf(body);
    heapBytes = text.length;
    const { elements, values, excesses, deep } = scanBatch(text);
    const maxValues = elements > 0 ? BODY_LIMITS.valuesOfSeveral : BODY_LIMITS.values;
    if (elements >= BODY_LIMITS.events || values > maxValues) {
      return { fault: largeBatch(BODY_LIMITS.events, maxValues), heapBytes };
    }
    const batch = parseJson(without(text, excesses.flatMap(cutOf)));
    const faults = new Map<number, string>();
    const oversized = new Map<number, number>();
    for (const { index, fault, returned } of excesses)
      if (fault !== undefined) faults.set(index, fault);
      else {
        const bytes = returned.map(({ from, to }) => Buffer.byteLength(text.slice(from, to)));
        oversized.set(
          index,
          bytes.reduce((sum, one) => sum + one, 0),
        );
      }
    return {
      batch,
      faults,
      oversized,
      tooDeepForWec: deep,
      heapBytes: text.length + VALUE_HEAP_BYTES * values + EVENT_HEAP_BYTES * (elements + 1),
    };
  } catch (error) {
    return { fault: messageOf(error), heapBytes };
  }
}

/**
 * Applies `RETURNED_LIMITS` to an object that a WEC returned. If spec or status exceeds a limit, both are left out, as when the
 * object is recorded. This is for a caller that asks what would be recorded, and sends nothing.
 */
export function withinLimits(returned: ReturnedObject): ReturnedObject {
  const { spec, status, ...rest } = returned;
  const sample = {
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
  const read = readBatch(`[${stringifyJson({ data: { returned: sample } })}]`);
  const oversizedBytes = 'fault' in read ? undefined : read.oversized.get(0);
  return oversizedBytes === undefined ? returned : { ...rest, oversizedBytes };
}
