import { MAX_NESTING } from '#shared/core/bounded-depth.ts';
import { MAX_SEQUENCE } from '#shared/core/epoch.ts';
import { WELL_FORMED } from '#shared/core/field-messages.ts';

// What is wrong with events, as the senders of them see it. Sentences about a field follow its path and a colon, and those about a
// whole event follow the words `the event`.

/** What the fields of an event must be. */
export const EVENT_RULES = {
  specversion: 'must be "1.0"',
  id: `must be a string of 1 to 256 characters, ${WELL_FORMED}`,
  source:
    'must be /wec/<name>, /wds/<name> or /fleet/<name>, with a name of 1 to 253 letters, digits and . _ : @ -',
  time: 'must be an RFC 3339 time of at most 40 characters',
  subject:
    'must name the object: <wds>/<group>/<resource>/<namespace>/<name> from a WEC, without <wds> from others',
  inventory: 'only a WEC has an inventory',
  hub: 'must be the name of a hub: 1 to 253 letters, digits and . _ : @ -',
  epoch: 'must be a decimal integer below 2^53, as a string',
  sequence: `must be a decimal integer up to ${MAX_SEQUENCE}, as a string`,
  data: 'must have the form that its type requires',
  forwarderVersion: 'must have 1 to 64 letters, digits and . _ + -',
} as const;

/** `types` are all that this version knows. */
export function unknownType(types: readonly string[]): string {
  return `must be one of ${types.join(', ')}: a newer forwarder needs a newer receiver`;
}

/** A number in `data`. */
export function largeNumber(max: number): string {
  return `must be at most ${max}`;
}

/** The labels and annotations of a WEC. */
export function largeInventory(maxBytes: number): string {
  return `may take ${maxBytes} bytes`;
}

/** The names of the source and the object make a key, and keys are short. */
export const LONG_NAMES = 'the names of source and object must be shorter together';

/** An epoch that the clock of the receiver has not reached. `aheadMs` is how far an epoch may be ahead of it. */
export function futureEpoch(max: number, aheadMs: number): string {
  return `must be at most ${max}: an epoch begins with the second in which its forwarder began to report (times 2^20), and may be ${aheadMs / 60_000} minutes ahead of the receiver's clock, so set the clock of the forwarder's cluster, then delete the forwarder's Lease`;
}

/** An event that is another JSON value. */
export const NO_CLOUD_EVENT = 'must be a CloudEvents JSON object';

/** An object of a WEC, or of a management cluster of Fleet. */
export const TOO_DEEP = `is nested too deeply: no field of an object may have more than ${MAX_NESTING} levels`;

/** An event, or the part of it besides the object. */
export function longEvent(characters: number): string {
  return `has more than ${characters} characters`;
}

/** Like {@link longEvent}. */
export function manyValues(values: number): string {
  return `has more than ${values} values`;
}

/** Like {@link longEvent}. */
export function longNumber(characters: number): string {
  return `has a number of more than ${characters} characters`;
}

/** What {@link faultyEvent} names. */
interface FaultyEvent {
  /** The position in the batch. */
  readonly index: number;
  /** Absent if the event has none. */
  readonly id: string | undefined;
  /** `''` for the whole event. */
  readonly field: string;
}

/** `fault` is one of the sentences above. */
export function faultyEvent({ index, id, field }: FaultyEvent, fault: string): string {
  const name = id === undefined || id === '' ? `number ${index} of the batch` : id;
  const remedy = field.startsWith('data') ? `: ${EVENT_RULES.data}` : '';
  return `event ${name}: ${field || 'the event'}: ${fault}${remedy}`;
}

/** The faults of `more` events of a batch are not named. */
export function moreFaultyEvents(more: number): string {
  return `${more} more events of the batch cannot be used either: correct the named ones first`;
}

/** A body that cannot be read. */
export function notABatch(fault: string): string {
  return `the body is not a batch of events (${fault}): send a CloudEvents JSON array, or one that is compressed with gzip and then base64`;
}

/** The fault of a body that is JSON. */
export const OTHER_JSON = 'it is JSON of a different form';

/** The fault of a body that is expensive to read. */
export function largeBatch(events: number, values: number): string {
  return `it has more than ${events} events or ${values} values`;
}

/** `known` are the resources that a management cluster of Fleet reports. */
export function noFleetResource(known: readonly string[]): string {
  return `the resource of a management cluster of Fleet must be one of ${known.join(', ')}`;
}

export const NO_FLEET_NAMESPACE = 'an object of Fleet must have a namespace';

export const INVALID_FLEET_NAME = 'the name of an object of Fleet must be a DNS subdomain';

/** The name or the namespace in the metadata of an object. */
export const NOT_AS_SUBJECT = 'must be as in the subject';

/** Labels of an object. */
export const INVALID_LABELS = 'must have the values that Kubernetes allows';

/** The owner of an object. */
export const INVALID_OWNER = 'must name a GitRepo by a DNS subdomain';

/** The git job of a GitRepo. */
export function largeJob(maxBytes: number): string {
  return `a Job must be at most ${maxBytes} bytes of JSON, so its labels or the messages of its conditions must be shorter`;
}
