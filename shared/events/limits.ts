import { MAX_NESTING, MAX_NESTING_AROUND } from '#shared/core/bounded-depth.ts';

/**
 * The limits of a body. A forwarder's body has 64 KiB of JSON, or one object, of which an API server accepts about 3 MB. A
 * larger body is meant to exhaust its reader.
 */
export const BODY_LIMITS = {
  inflatedBytes: 8 * 1024 * 1024,
  events: 10_000,
  /** The limit for the values that are kept, counted like {@link Limits.values}. */
  values: 250_000,
  /** The limit for those of several events. A forwarder puts several events into a body only up to 64 KiB. */
  valuesOfSeveral: 100_000,
} as const;

/** The limits of a part of an event. They are counted in its decompressed text. */
export interface Limits {
  /** UTF-16 code units of the JSON text, which are at most as many as its bytes. */
  readonly characters: number;
  /** Commas and opening brackets: at least one for each list, object and further element. */
  readonly values: number;
  /** Levels of lists and objects, counted from the fields of the object. */
  readonly nesting: number;
}

/** A number of Kubernetes has 20 digits, a floating-point number 17 and an exponent. A longer one is meant to be expensive. */
export const MAX_NUMBER_CHARACTERS = 400;

/** The limits of the spec and of the status that a WEC returns, each. */
export const RETURNED_LIMITS: Limits = {
  characters: 1024 * 1024,
  values: 50_000,
  nesting: MAX_NESTING,
};

/**
 * The limits of an object of a WDS or of a management cluster of Fleet. etcd accepts 1.5 MiB, and a CombinedStatus of that size
 * has fewer values than this.
 */
export const OBJECT_LIMITS: Limits = {
  characters: 4 * 1024 * 1024,
  values: 200_000,
  nesting: MAX_NESTING + MAX_NESTING_AROUND,
};

/** The limits of everything else in an event: names, numbers and a time. */
export const ENVELOPE_LIMITS: Limits = { characters: 64 * 1024, values: 1_000, nesting: 100 };
