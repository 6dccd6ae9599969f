import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { MAX_EPOCH_AHEAD_MS, MAX_SEQUENCE, maxEpochAt } from '#shared/core/epoch.ts';
import type { EventContent, EventSource, ForwarderEvent } from '#shared/core/event.ts';
import { NO_OBJECT, noText } from '#shared/core/field-messages.ts';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { isUid, UID_RULE } from '#shared/core/metadata.ts';
import { isSourceName, namesFault } from '#shared/core/names.ts';
import { parseSource } from '#shared/core/source-text.ts';
import { MAX_INVENTORY_BYTES } from '#shared/core/wec-inventory.ts';
import { type WorkloadRef, workloadKey } from '#shared/core/workload.ts';
import { fitsKeys } from '#shared/state/keys.ts';
import { type BatchText, readBatch, type UnreadableBody } from './batch-text.ts';
import { fleetNamesFault, fleetObjectFault } from './fleet-names.ts';
import {
  EVENT_RULES,
  faultyEvent,
  futureEpoch,
  LONG_NAMES,
  largeInventory,
  largeNumber,
  moreFaultyEvents,
  NO_CLOUD_EVENT,
  notABatch,
  OTHER_JSON,
  TOO_DEEP,
  unknownType,
} from './messages.ts';

/** SQS bills a message for each 64 KiB, so a larger body is compressed. */
export const PLAIN_BODY_BYTES = 64 * 1024;

/** The maximum number of faulty events of a body that are explained. */
const MAX_ERRORS = 100;

const TYPE = {
  changed: 'dev.starfold.object.changed.v1',
  deleted: 'dev.starfold.object.deleted.v1',
  snapshot: 'dev.starfold.snapshot.completed.v1',
  heartbeat: 'dev.starfold.heartbeat.v1',
  inventory: 'dev.starfold.inventory.v1',
  hubSnapshot: 'dev.starfold.inventory.completed.v1',
} as const;

function sourceOf(text: string): EventSource | undefined {
  return text.startsWith('/') ? parseSource(text.slice(1)) : undefined;
}

/** A version is written with 16 digits. */
const INTEGER_TEXT = /^\d{1,16}$/;
const MAX_ID = 256;
/** A time with seconds, nine decimals and an offset has 35 characters. */
const MAX_TIME = 40;

function integerText(remedy: string, max: number) {
  return z
    .string(remedy)
    .check(z.refine((text) => INTEGER_TEXT.test(text) && Number(text) <= max, remedy));
}

/** A text that is stored. It must be well-formed, because half of a surrogate pair does not survive an encoding in UTF-8. */
function textOf(max: number, remedy = noText(max)) {
  return z
    .string(remedy)
    .check(z.refine((text) => text.length <= max && text.isWellFormed(), remedy));
}

const envelope = z.object({
  specversion: z.literal('1.0', EVENT_RULES.specversion),
  id: textOf(MAX_ID, EVENT_RULES.id).check(z.minLength(1, EVENT_RULES.id)),
  source: z
    .string(EVENT_RULES.source)
    .check(z.refine((text) => sourceOf(text) !== undefined, EVENT_RULES.source)),
  type: z.enum(TYPE, unknownType(Object.values(TYPE))),
  time: z.iso
    .datetime({ offset: true, error: EVENT_RULES.time })
    .check(z.maxLength(MAX_TIME, EVENT_RULES.time)),
  subject: z.optional(z.string(EVENT_RULES.subject)),
  epoch: integerText(EVENT_RULES.epoch, Number.MAX_SAFE_INTEGER),
  sequence: integerText(EVENT_RULES.sequence, MAX_SEQUENCE),
});

type Envelope = z.infer<typeof envelope>;

/** Any JSON. The value comes from parseJson, so there is nothing to check. */
const json = z.custom<JsonValue>((value) => value !== undefined);

const natural = z.int().check(z.nonnegative());
const uid = z.string().check(z.refine(isUid, UID_RULE));
const changedWec = z.object({
  first: z.boolean(),
  returned: z.object({
    uid,
    generation: natural,
    sourceGeneration: z.exactOptional(natural),
    sourceUid: z.exactOptional(uid),
    created: z.exactOptional(textOf(MAX_TIME)),
    spec: z.exactOptional(json),
    replicasFromScale: z.exactOptional(z.boolean()),
    deleting: z.exactOptional(z.boolean()),
    lastUpdate: z.exactOptional(textOf(MAX_TIME)),
    status: z.exactOptional(json),
    oversizedBytes: z.exactOptional(natural),
  }),
});
const changedWds = z.object({
  first: z.boolean(),
  object: z.custom<JsonObject>((value) => isObject(value as JsonValue), NO_OBJECT),
});
/** An owned hash has hexadecimal digits. It is compared and stored. */
const MAX_OWNED_HASH = 64;
const changedFleet = z.extend(changedWds, {
  // The name of the owned hash in release 0.1.
  facet: z.exactOptional(textOf(MAX_OWNED_HASH)),
});
const deleted = z.object({ first: z.boolean() });
const snapshot = z.object({
  since: z.object({
    epoch: natural,
    sequence: natural.check(z.maximum(MAX_SEQUENCE, largeNumber(MAX_SEQUENCE))),
  }),
});

/** The version of a forwarder is stored and shown. Semantic versions and names of Git have only these characters. */
const FORWARDER_VERSION = /^[\w.+-]{1,64}$/;
const heartbeat = z.object({
  forwarderVersion: z.exactOptional(
    z
      .string(EVENT_RULES.forwarderVersion)
      .check(z.regex(FORWARDER_VERSION, EVENT_RULES.forwarderVersion)),
  ),
});

const texts = z.record(textOf(MAX_INVENTORY_BYTES), textOf(MAX_INVENTORY_BYTES));
const inventory = z.object({
  hub: z.exactOptional(z.string(EVENT_RULES.hub).check(z.refine(isSourceName, EVENT_RULES.hub))),
  inventory: z.exactOptional(
    z
      .object({ labels: texts, annotations: texts })
      .check(
        z.refine(
          (said) => jsonBytes(said, MAX_INVENTORY_BYTES) <= MAX_INVENTORY_BYTES,
          largeInventory(MAX_INVENTORY_BYTES),
        ),
      ),
  ),
});

/** The error of one event of a batch. */
interface EventError {
  /** The position in the batch. */
  readonly index: number;
  /** The event's id. Absent if it has none. */
  readonly id?: string;
  /** The attribute, or the path in `data`; `''` for the whole event. */
  readonly field: string;
  /** The message names the event, the field, the fault and the remedy. */
  readonly message: string;
}

/** The content of a body. */
export interface DecodedBody {
  /** The usable events. */
  readonly events: readonly ForwarderEvent[];
  /** The errors of the others: one for each of the first hundred, and one for all the rest. */
  readonly errors: readonly EventError[];
  /** The number of unusable events. A body that cannot be read counts as one. */
  readonly refused: number;
  /** The approximate memory of the events, or what reading the body took until its fault was found. */
  readonly heapBytes: number;
}

/** The content of an event is plain JSON. */
function asJson(value: object): JsonObject {
  return value as JsonObject;
}

function heartbeatData({
  forwarderVersion,
}: Extract<EventContent, { readonly type: 'heartbeat' }>): JsonObject {
  return forwarderVersion === undefined ? {} : { data: { forwarderVersion } };
}

function attributesOf(content: EventContent, source: EventSource): JsonObject {
  switch (content.type) {
    case 'wec-object': {
      const { wds, subject, first, returned } = content;
      const name = workloadKey({ wds, ...subject });
      if (returned === undefined) return { type: TYPE.deleted, subject: name, data: { first } };
      return { type: TYPE.changed, subject: name, data: { first, returned: { ...returned } } };
    }
    case 'wds-object': {
      const { subject, first, object } = content;
      const name = workloadKey({ wds: source.name, ...subject }).slice(source.name.length + 1);
      if (object === undefined) return { type: TYPE.deleted, subject: name, data: { first } };
      return { type: TYPE.changed, subject: name, data: { first, object } };
    }
    case 'fleet-object': {
      const { subject, first, object, ownedHash } = content;
      const { group, resource, namespace } = subject;
      const name = `${group}/${resource}/${namespace}/${subject.name}`;
      if (object === undefined) return { type: TYPE.deleted, subject: name, data: { first } };
      const data = { first, object, ...(ownedHash === undefined ? {} : { facet: ownedHash }) };
      return { type: TYPE.changed, subject: name, data };
    }
    case 'snapshot':
      return { type: TYPE.snapshot, data: { since: { ...content.since } } };
    case 'hub-snapshot':
      return { type: TYPE.hubSnapshot, data: { since: { ...content.since } } };
    case 'heartbeat':
      return { type: TYPE.heartbeat, ...heartbeatData(content) };
    case 'inventory': {
      const { type: _type, ...fields } = content;
      return { type: TYPE.inventory, data: asJson(fields) };
    }
  }
}

/**
 * Encodes an event as a CloudEvents 1.0 JSON object. `sequence` is the CloudEvents extension of that name (a string that sorts
 * in order). `epoch` is a string too, because a CloudEvents integer has 32 bits.
 */
export function encodeEvent(event: ForwarderEvent): string {
  const { source, version, time, content } = event;
  return stringifyJson({
    specversion: '1.0',
    id: `${version.epoch}.${version.sequence}`,
    source: `/${source.type}/${source.name}`,
    time,
    epoch: String(version.epoch),
    sequence: String(version.sequence).padStart(16, '0'),
    ...attributesOf(content, source),
  });
}

/** Encodes the body of a message: a CloudEvents JSON batch. If it is larger than 64 KiB, it is compressed (gzip, base64). */
export function encodeBatch(encodedEvents: readonly string[]): string {
  const text = `[${encodedEvents.join(',')}]`;
  return Buffer.byteLength(text) <= PLAIN_BODY_BYTES ? text : gzipSync(text).toString('base64');
}

/** The fault of an event. It is a value, because a message may have thousands. */
class Fault {
  readonly field: string;
  readonly message: string;
  constructor(field: string, message: string) {
    this.field = field;
    this.message = message;
  }
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown, prefix: readonly string[]): T | Fault {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = [...prefix, ...(issue?.path ?? [])].map(String).join('.');
  return new Fault(field, issue?.message ?? 'invalid');
}

const KEY_PARTS = 5;

/** The workload object of an event. Its names become keys, and the sender may choose them, within limits. */
function workloadOf(named: string, source: EventSource): WorkloadRef | Fault {
  const key = source.type === 'wec' ? named : `${source.name}/${named}`;
  const [wds = '', group = '', resource = '', namespace = '', name, ...rest] = key.split(
    '/',
    KEY_PARTS + 1,
  );
  if (name === undefined || rest.length > 0) return new Fault('subject', EVENT_RULES.subject);
  const workload = { wds, group, resource, namespace, name };
  const fault =
    namesFault(workload) ?? (source.type === 'fleet' ? fleetNamesFault(workload) : undefined);
  if (fault !== undefined) return new Fault('subject', fault);
  if (!fitsKeys(source, workload)) return new Fault('subject', LONG_NAMES);
  return workload;
}

function wdsContent({ wds: _wds, ...subject }: WorkloadRef, data: unknown): EventContent | Fault {
  const changed = parsed(changedWds, data, ['data']);
  return changed instanceof Fault ? changed : { type: 'wds-object', subject, ...changed };
}

function fleetContent(workload: WorkloadRef, data: unknown): EventContent | Fault {
  const { wds: _upstream, ...subject } = workload;
  const changed = parsed(changedFleet, data, ['data']);
  if (changed instanceof Fault) return changed;
  const { facet: ownedHash, ...fields } = changed;
  const fault = fleetObjectFault(workload, changed.object);
  if (fault === undefined)
    return {
      type: 'fleet-object',
      subject,
      ...fields,
      ...(ownedHash === undefined ? {} : { ownedHash }),
    };
  const path = fault.path === '' ? '' : `.${fault.path}`;
  return new Fault(`data.object${path}`, fault.message);
}

function wecContent({ wds, ...subject }: WorkloadRef, data: unknown): EventContent | Fault {
  const changed = parsed(changedWec, data, ['data']);
  return changed instanceof Fault ? changed : { type: 'wec-object', wds, subject, ...changed };
}

/** The content of an event about an existing object, by the type of its source. */
const CHANGED: Readonly<
  Record<EventSource['type'], (object: WorkloadRef, data: unknown) => EventContent | Fault>
> = { wec: wecContent, wds: wdsContent, fleet: fleetContent };

function deletedContent(
  type: EventSource['type'],
  { wds, ...subject }: WorkloadRef,
  data: unknown,
): EventContent | Fault {
  const gone = parsed(deleted, data, ['data']);
  if (gone instanceof Fault) return gone;
  if (type === 'wec') return { type: 'wec-object', wds, subject, ...gone };
  return { type: type === 'wds' ? 'wds-object' : 'fleet-object', subject, ...gone };
}

function objectContent(event: Envelope, source: EventSource, data: unknown): EventContent | Fault {
  const { type } = source;
  const workload = workloadOf(event.subject ?? '', source);
  if (workload instanceof Fault) return workload;
  if (event.type === TYPE.deleted) return deletedContent(type, workload, data);
  return CHANGED[type](workload, data);
}

function inventoryContent(
  type: typeof TYPE.hubSnapshot | typeof TYPE.inventory,
  source: EventSource,
  data: unknown,
): EventContent | Fault {
  if (source.type !== 'wec') return new Fault('type', EVENT_RULES.inventory);
  if (type === TYPE.hubSnapshot) {
    const ended = parsed(snapshot, data, ['data']);
    return ended instanceof Fault ? ended : { type: 'hub-snapshot', ...ended };
  }
  const fields = parsed(inventory, data, ['data']);
  return fields instanceof Fault ? fields : { type: 'inventory', ...fields };
}

function contentOf(event: Envelope, source: EventSource, data: unknown): EventContent | Fault {
  switch (event.type) {
    case TYPE.changed:
    case TYPE.deleted:
      return objectContent(event, source, data);
    case TYPE.snapshot: {
      const fields = parsed(snapshot, data, ['data']);
      return fields instanceof Fault ? fields : { type: 'snapshot', ...fields };
    }
    case TYPE.heartbeat: {
      // What release 0.1 sends has no data.
      const fields = data === undefined ? {} : parsed(heartbeat, data, ['data']);
      return fields instanceof Fault ? fields : { type: 'heartbeat', ...fields };
    }
    case TYPE.hubSnapshot:
    case TYPE.inventory:
      return inventoryContent(event.type, source, data);
  }
}

/** The fault of an event's epochs at a time, in milliseconds since 1970. */
function epochFault({ version, content }: ForwarderEvent, nowMs: number): Fault | undefined {
  const max = maxEpochAt(nowMs);
  const message = futureEpoch(max, MAX_EPOCH_AHEAD_MS);
  if (version.epoch > max) return new Fault('epoch', message);
  return 'since' in content && content.since.epoch > max
    ? new Fault('data.since.epoch', message)
    : undefined;
}

function decodeEvent(value: JsonValue): ForwarderEvent | Fault {
  if (!isObject(value)) return new Fault('', NO_CLOUD_EVENT);
  const event = parsed(envelope, value, []);
  if (event instanceof Fault) return event;
  const source = sourceOf(event.source);
  if (source === undefined) return new Fault('source', EVENT_RULES.source);
  const content = contentOf(event, source, value['data']);
  if (content instanceof Fault) return content;
  const version = { epoch: Number(event.epoch), sequence: Number(event.sequence) };
  return { source, version, time: event.time, content };
}

/** Removes spec and status that are too large to keep, and stores their size instead. */
function withoutOversized(event: ForwarderEvent, bytes: number): ForwarderEvent {
  const { content } = event;
  if (content.type !== 'wec-object' || content.returned === undefined) return event;
  const { spec: _spec, status: _status, ...rest } = content.returned;
  return { ...event, content: { ...content, returned: { ...rest, oversizedBytes: bytes } } };
}

/** What the events of a body are read with. */
interface Reading {
  readonly read: BatchText;
  readonly nowMs: number | undefined;
}

function eventAt(
  index: number,
  value: JsonValue,
  { read, nowMs }: Reading,
): ForwarderEvent | Fault {
  const excess = read.faults.get(index);
  if (excess !== undefined) return new Fault('', excess);
  const event = decodeEvent(value);
  if (event instanceof Fault) return event;
  const fault = nowMs === undefined ? undefined : epochFault(event, nowMs);
  if (fault !== undefined) return fault;
  if (read.tooDeepForWec.has(index) && event.source.type !== 'wds') return new Fault('', TOO_DEEP);
  const bytes = read.oversized.get(index);
  return bytes === undefined ? event : withoutOversized(event, bytes);
}

function errorAt(index: number, value: JsonValue, fault: Fault): EventError {
  const givenId = member(value, 'id');
  const id = typeof givenId === 'string' ? givenId.slice(0, MAX_ID) : undefined;
  return {
    index,
    ...(id === undefined ? {} : { id }),
    field: fault.field,
    message: faultyEvent({ index, id, field: fault.field }, fault.message),
  };
}

function unreadable({ fault, heapBytes }: UnreadableBody): DecodedBody {
  const errors = [{ index: 0, field: '', message: notABatch(fault) }];
  return { events: [], errors, refused: 1, heapBytes };
}

function unexplained(refused: number): readonly EventError[] {
  const more = refused - MAX_ERRORS;
  return more > 0 ? [{ index: MAX_ERRORS, field: '', message: moreFaultyEvents(more) }] : [];
}

/**
 * Reads the body of a message. A faulty event, or a body that is not a batch, is an error and not an exception. A sender may
 * send anything, so the cost of a body is limited (`limits.ts`), and so are the names and numbers in it. If spec or status
 * exceeds its limits, both are left out, and their size is stored instead (`oversizedBytes`).
 *
 * @param nowMs the receiver's clock, in milliseconds since 1970; an epoch may only be slightly ahead of it. If it is absent,
 * nobody records the events, and any epoch is accepted.
 */
export function decodeBatch(body: string, nowMs?: number): DecodedBody {
  const read = readBatch(body);
  if ('fault' in read) return unreadable(read);
  const { batch, heapBytes } = read;
  if (!isArray(batch)) return unreadable({ fault: OTHER_JSON, heapBytes });
  const events: ForwarderEvent[] = [];
  const errors: EventError[] = [];
  for (const [index, value] of batch.entries()) {
    const event = eventAt(index, value, { read, nowMs });
    if (!(event instanceof Fault)) events.push(event);
    else if (errors.length < MAX_ERRORS) errors.push(errorAt(index, value, event));
  }
  const refused = batch.length - events.length;
  return { events, errors: [...errors, ...unexplained(refused)], refused, heapBytes };
}
