/**
 * What a body may hold. A forwarder's is 64 KiB of JSON or one object, of which an API server takes about 3 MB; what is
 * beyond that is made to exhaust whoever reads it.
 */
export const BODY_LIMITS = {
  inflatedBytes: 8 * 1024 * 1024,
  events: 10_000,
  /** Of what is kept, counted as {@link Limits.values} are. */
  values: 250_000,
} as const;

/** How deep a status, or another field of an object of a WEC, may be nested: reading and merging values is recursive. */
export const MAX_NESTING = 500;

/** So many levels more in a WDS: in a CombinedStatus there is a status within what Starfold and expressions put around it. */
export const MAX_NESTING_AROUND = 100;

/** What a part of an event may be. All is counted in its text, as it is when it is no longer compressed. */
export interface Limits {
  /** UTF-16 code units of the JSON text: no more than its bytes. */
  readonly characters: number;
  /** Commas and opening brackets: at least one for each list, object and further element. */
  readonly values: number;
  /** Levels of lists and objects, counted from the fields of the object. */
  readonly nesting: number;
}

/** A number of Kubernetes has 20 digits, a floating-point number 17 and an exponent: more is made to be expensive. */
export const MAX_NUMBER_CHARACTERS = 400;

/** Of what a WEC returns of an object: its spec and its status, each. */
export const RETURNED_LIMITS: Limits = {
  characters: 1024 * 1024,
  values: 50_000,
  nesting: MAX_NESTING,
};

/**
 * Of an object of a WDS or of a management cluster of Fleet. etcd takes 1.5 MiB, and a CombinedStatus of that size has less
 * than so many values.
 */
export const OBJECT_LIMITS: Limits = {
  characters: 4 * 1024 * 1024,
  values: 200_000,
  nesting: MAX_NESTING + MAX_NESTING_AROUND,
};

/** Of all else in an event: names, numbers and a time. */
export const ENVELOPE_LIMITS: Limits = { characters: 64 * 1024, values: 1_000, nesting: 100 };
