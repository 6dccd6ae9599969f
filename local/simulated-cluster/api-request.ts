import type { IncomingMessage } from 'node:http';
import { foreignRequest } from '#shared/adapters/http/own-request.ts';
import { acceptedTypes } from '#shared/api/messages.ts';
import { PROTOBUF_TYPE } from '#shared/api/review-protobuf.ts';
import { badRequest, StatusError, unsupportedMediaType } from '#shared/api/status-error.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { messageOf } from '#shared/errors.ts';
import { decodeProtobuf } from './protobuf.ts';
import { entityTooLarge } from './status-error.ts';
import type { IncludedObject } from './table.ts';

/** The forms in which an answer can be written. */
type Form = 'json' | 'table';

/** The head of a request. The body is read separately. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: Form;
  readonly include: IncludedObject;
  /** Media type of the body, without parameters. */
  readonly contentType: string;
  /** The writer: `fieldManager`, otherwise the first word of the User-Agent. */
  readonly manager: string;
  readonly dryRun: boolean;
}

/** The limit of an API server for the body of a request. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;
const MANAGER_MAX_LENGTH = 128;

function formOf(accepted: string): Form | undefined {
  const [type, ...parameters] = accepted.split(';').map((part) => part.trim());
  const known = type === 'application/json' || type === 'application/*' || type === '*/*';
  const as = parameters.find((parameter) => parameter.startsWith('as='));
  if (!known) return undefined;
  if (as === undefined) return 'json';
  return as === 'as=Table' && parameters.includes('v=v1') ? 'table' : undefined;
}

function negotiated(accept: string): Form {
  for (const accepted of accept.split(',')) {
    const form = formOf(accepted);
    if (form !== undefined) return form;
  }
  throw new StatusError(
    { code: 406, reason: 'NotAcceptable' },
    acceptedTypes('application/json, application/json;as=Table;g=meta.k8s.io;v=v1'),
  );
}

function included(query: URLSearchParams): IncludedObject {
  const wanted = query.get('includeObject');
  return wanted === 'None' || wanted === 'Object' ? wanted : 'Metadata';
}

/** @throws StatusError 403 if the request comes from a web page */
export function requireOwn(request: IncomingMessage): void {
  const foreign = foreignRequest(request);
  if (foreign !== undefined) throw new StatusError({ code: 403, reason: 'Forbidden' }, foreign);
}

/**
 * Reads the head of a request.
 *
 * @throws StatusError 403 if it comes from a web page, 406 if it accepts no available form of answer
 */
export function parseRequestHead(request: IncomingMessage): ApiRequest {
  requireOwn(request);
  const { accept = '*/*', 'content-type': contentType = '' } = request.headers;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const agent = (request.headers['user-agent'] ?? '').split(/[/\s]/)[0] || 'unknown';
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    form: negotiated(accept || '*/*'),
    include: included(searchParams),
    contentType: (contentType.split(';')[0] ?? '').trim().toLowerCase(),
    manager: (searchParams.get('fieldManager') || agent).slice(0, MANAGER_MAX_LENGTH),
    dryRun: searchParams.get('dryRun') === 'All',
  };
}

/**
 * Reads the body of a request, or returns `undefined` if it is empty.
 *
 * @throws StatusError 413 if it is too large
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // Without an encoding, a request yields buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size <= BODY_LIMIT_BYTES) chunks.push(bytes);
  }
  if (size > BODY_LIMIT_BYTES) throw entityTooLarge(`${BODY_LIMIT_BYTES} bytes`);
  return size === 0 ? undefined : Buffer.concat(chunks);
}

/**
 * `application/json` and the types of patches. A web page cannot send any of them, or protocol buffers, to another site
 * without a preflight request.
 */
const JSON_TYPE = /^application\/([a-z-]+\+)?json$/;

/** Here an object is JSON, so it may be as large in JSON as a body may be. */
function protobufJson(body: Buffer): JsonValue {
  const object = decodeProtobuf(body);
  if (object === undefined)
    throw unsupportedMediaType(
      `a simulated cluster reads the kinds that it serves from ${PROTOBUF_TYPE}, except custom resources and their definitions; send the object as application/json; with kubectl, write it to a file and apply that`,
    );
  if (Buffer.byteLength(stringifyJson(object)) > BODY_LIMIT_BYTES)
    throw entityTooLarge(`${BODY_LIMIT_BYTES} bytes, also for the JSON of protocol buffers`);
  return object;
}

/**
 * The content of a body, from JSON or from protocol buffers.
 *
 * @throws StatusError 415 if it has another type, or none, or is a kind that is only read from JSON; 413 if it is
 *   too large in JSON or has too many fields; 400 if it is malformed
 */
export function bodyJson(contentType: string, body: Buffer): JsonValue {
  const isProtobuf = contentType === PROTOBUF_TYPE;
  if (!(isProtobuf || JSON_TYPE.test(contentType)))
    throw unsupportedMediaType(
      `a simulated cluster reads application/json and ${PROTOBUF_TYPE}, not ${contentType === '' ? 'a body without a Content-Type' : contentType}`,
    );
  try {
    return isProtobuf ? protobufJson(body) : parseJson(body.toString('utf8'));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const form = isProtobuf ? 'protobuf' : 'JSON';
    const why = messageOf(error);
    throw badRequest(`the object provided is unrecognized (must be of type ${form}): ${why}`, {
      cause: error,
    });
  }
}
