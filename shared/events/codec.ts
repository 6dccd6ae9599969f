import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { EventContent, EventSource, ForwarderEvent } from '#shared/core/event.ts';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';
import { parseWorkloadKey, type WorkloadRef, workloadKey } from '#shared/core/workload.ts';

/** SQS bills a message for each 64 KiB: a larger body is compressed. */
export const PLAIN_BODY_BYTES = 64 * 1024;

/** No batch of a forwarder comes near this; a body that inflates beyond it is refused. */
const MAX_INFLATED_BYTES = 32 * 1024 * 1024;

const TYPE = {
  changed: 'dev.starfold.object.changed.v1',
  deleted: 'dev.starfold.object.deleted.v1',
  snapshot: 'dev.starfold.snapshot.completed.v1',
  heartbeat: 'dev.starfold.heartbeat.v1',
} as const;

const REMEDY = {
  specversion: 'must be "1.0"',
  id: 'must be a non-empty string',
  source: 'must be /wec/<name> or /wds/<name>',
  type: `must be one of ${Object.values(TYPE).join(', ')}: a newer forwarder needs a newer receiver`,
  time: 'must be an RFC 3339 time',
  subject:
    'must name the object: <wds>/<group>/<resource>/<namespace>/<name> from a WEC, without <wds> from a WDS',
  epoch: 'must be a decimal integer below 2^53, as a string',
  sequence: 'must be a decimal integer below 2^53, as a string',
  data: 'must have the form that its type asks for',
} as const;

const SOURCE = /^\/(wec|wds)\/([^/]+)$/;

function integerText(remedy: string) {
  return z
    .string(remedy)
    .check(z.refine((text) => /^\d+$/.test(text) && Number.isSafeInteger(Number(text)), remedy));
}

const envelope = z.object({
  specversion: z.literal('1.0', REMEDY.specversion),
  id: z.string(REMEDY.id).check(z.minLength(1, REMEDY.id)),
  source: z.string(REMEDY.source).check(z.regex(SOURCE, REMEDY.source)),
  type: z.enum(TYPE, REMEDY.type),
  time: z.iso.datetime({ offset: true, error: REMEDY.time }),
  subject: z.optional(z.string(REMEDY.subject)),
  epoch: integerText(REMEDY.epoch),
  sequence: integerText(REMEDY.sequence),
});

type Envelope = z.infer<typeof envelope>;

/** Any JSON: it came out of parseJson, so there is nothing left to check. */
const json = z.custom<JsonValue>((value) => value !== undefined);

const changedWec = z.object({
  first: z.boolean(),
  returned: z.object({
    uid: z.string(),
    generation: z.int(),
    sourceGeneration: z.exactOptional(z.int()),
    spec: z.exactOptional(json),
    replicasFromScale: z.exactOptional(z.boolean()),
    deleting: z.exactOptional(z.boolean()),
    lastUpdate: z.exactOptional(z.string()),
    status: z.exactOptional(json),
    oversizedBytes: z.exactOptional(z.int()),
  }),
});
const changedWds = z.object({
  first: z.boolean(),
  object: z.custom<JsonObject>((value) => isObject(value as JsonValue), 'must be an object'),
});
const deleted = z.object({ first: z.boolean() });
const snapshot = z.object({ since: z.object({ epoch: z.int(), sequence: z.int() }) });

/** Why one event of a batch cannot be used. */
interface EventError {
  /** Position in the batch. */
  readonly index: number;
  /** The event's id; absent where it has none. */
  readonly id?: string;
  /** The attribute, or the path in `data`; `''` for the whole. */
  readonly field: string;
  /** Names event, field, fault and remedy. */
  readonly message: string;
  /** The event as it came; absent where the body could not be read. */
  readonly event?: JsonValue;
}

/** What a body holds: the events that can be used, and an error for each that cannot. */
export interface DecodedBody {
  readonly events: readonly ForwarderEvent[];
  readonly errors: readonly EventError[];
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
    case 'snapshot':
      return { type: TYPE.snapshot, data: { since: { ...content.since } } };
    case 'heartbeat':
      return { type: TYPE.heartbeat };
  }
}

/**
 * One event as a CloudEvents 1.0 JSON object. `sequence` is CloudEvents' extension of that name (a string that sorts in
 * order); `epoch` is a string too, because a CloudEvents integer has 32 bits.
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

/** The body of a message: a CloudEvents JSON batch, compressed (gzip, base64) when it is larger than 64 KiB. */
export function encodeBody(encodedEvents: readonly string[]): string {
  const text = `[${encodedEvents.join(',')}]`;
  return Buffer.byteLength(text) <= PLAIN_BODY_BYTES ? text : gzipSync(text).toString('base64');
}

class FieldError extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown, prefix: readonly string[]): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = [...prefix, ...(issue?.path ?? [])].map(String).join('.');
  throw new FieldError(field, issue?.message ?? 'invalid');
}

function sourceOf(text: string): EventSource {
  const [, type, name = ''] = SOURCE.exec(text) ?? [];
  return { type: type === 'wds' ? 'wds' : 'wec', name };
}

function workloadOf(key: string): WorkloadRef | undefined {
  try {
    return parseWorkloadKey(key);
  } catch {
    return undefined;
  }
}

function objectContent(event: Envelope, source: EventSource, data: unknown): EventContent {
  const named = event.subject ?? '';
  const workload = workloadOf(source.type === 'wds' ? `${source.name}/${named}` : named);
  if (workload === undefined) throw new FieldError('subject', REMEDY.subject);
  const { wds, ...subject } = workload;
  const gone = event.type === TYPE.deleted;
  if (source.type === 'wec')
    return gone
      ? { type: 'wec-object', wds, subject, ...parsed(deleted, data, ['data']) }
      : { type: 'wec-object', wds, subject, ...parsed(changedWec, data, ['data']) };
  return gone
    ? { type: 'wds-object', subject, ...parsed(deleted, data, ['data']) }
    : { type: 'wds-object', subject, ...parsed(changedWds, data, ['data']) };
}

function contentOf(event: Envelope, source: EventSource, data: unknown): EventContent {
  switch (event.type) {
    case TYPE.changed:
    case TYPE.deleted:
      return objectContent(event, source, data);
    case TYPE.snapshot:
      return { type: 'snapshot', ...parsed(snapshot, data, ['data']) };
    case TYPE.heartbeat:
      return { type: 'heartbeat' };
  }
}

function decodeEvent(value: JsonValue): ForwarderEvent {
  if (!isObject(value)) throw new FieldError('', 'must be a CloudEvents JSON object');
  const event = parsed(envelope, value, []);
  const source = sourceOf(event.source);
  return {
    source,
    version: { epoch: Number(event.epoch), sequence: Number(event.sequence) },
    time: event.time,
    content: contentOf(event, source, value['data']),
  };
}

function errorAt(index: number, value: JsonValue | undefined, error: FieldError): EventError {
  const id = member(value, 'id');
  const name = typeof id === 'string' && id !== '' ? id : `number ${index} of the batch`;
  const remedy = error.field.startsWith('data') ? `: ${REMEDY.data}` : '';
  return {
    index,
    ...(typeof id === 'string' ? { id } : {}),
    ...(value === undefined ? {} : { event: value }),
    field: error.field,
    message: `event ${name}: ${error.field || 'the event'}: ${error.message}${remedy}`,
  };
}

function readBatch(body: string): JsonValue {
  const text = body.startsWith('[')
    ? body
    : gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength: MAX_INFLATED_BYTES }).toString();
  return parseJson(text);
}

/** Reads the body of a message. One bad event, or a body that is no batch at all, is an error, not an exception. */
export function decodeBody(body: string): DecodedBody {
  let batch: JsonValue;
  try {
    batch = readBatch(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { events: [], errors: [notABatch(reason)] };
  }
  if (!isArray(batch)) return { events: [], errors: [notABatch('it is JSON of another form')] };
  const events: ForwarderEvent[] = [];
  const errors: EventError[] = [];
  for (const [index, value] of batch.entries()) {
    try {
      events.push(decodeEvent(value));
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      errors.push(errorAt(index, value, error));
    }
  }
  return { events, errors };
}

function notABatch(reason: string): EventError {
  return {
    index: 0,
    field: '',
    message: `the body is not a batch of events (${reason}): send a CloudEvents JSON array, or one that is compressed with gzip and then base64`,
  };
}
