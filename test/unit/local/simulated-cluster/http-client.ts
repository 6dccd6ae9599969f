import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';

/** What a cluster answered. */
export interface HttpAnswer {
  readonly code: number;
  readonly body: JsonValue;
}

/** Sends one request with a JSON body (of the given media type) and reads the JSON answer. */
export async function send(
  url: string,
  method: string,
  options: {
    readonly body?: JsonValue;
    readonly contentType?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': options.contentType ?? 'application/json', ...options.headers },
    ...(options.body === undefined ? {} : { body: stringifyJson(options.body) }),
  });
  return { code: response.status, body: parseJson(await response.text()) };
}

/** Reads an answer to GET. */
export async function get(url: string, accept = 'application/json'): Promise<HttpAnswer> {
  return send(url, 'GET', { headers: { accept } });
}

/** An open watch. */
export interface OpenWatch {
  /** The next event; `undefined` when the server has ended the watch. */
  next(): Promise<JsonValue | undefined>;
  close(): Promise<void>;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<JsonValue> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map(parseJson);
  }
}

/** Opens a watch. */
export async function openWatch(url: string, accept = 'application/json'): Promise<OpenWatch> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { accept }, signal: abort.signal });
  const { body } = response;
  if (response.status !== 200 || body === null)
    throw new Error(`a watch was answered with ${response.status}`);
  const lines = linesOf(body);
  return {
    next: async () => {
      const { value } = await lines.next();
      return value ?? undefined;
    },
    close: async () => abort.abort(),
  };
}

/** `type` and name of a watch event, such as `ADDED web`. */
export function brief(event: JsonValue | undefined): string {
  return `${at(event, 'type')} ${at(event, 'object', 'metadata', 'name')}`;
}

/** A Deployment to create. */
export function deployment(name: string, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: name } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
    },
    ...more,
  };
}

/** The object at the end of a path of an answer. */
export function objectAt(value: JsonValue, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  if (!isObject(found)) throw new Error(`no object at ${path.join('.')}`);
  return found;
}

/** The entries of a list at the end of a path of an answer; none where there is no list. */
export function entriesAt(value: JsonValue, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path);
  return isArray(found) ? found : [];
}

/** An object with some members of its metadata, and some of its own, set anew. */
export function changed(
  object: JsonObject,
  metadata: JsonObject,
  rest: JsonObject = {},
): JsonObject {
  return { ...object, ...rest, metadata: { ...objectAt(object, 'metadata'), ...metadata } };
}

/** An answer that is an error, in one line. */
export function problem({ code, body }: HttpAnswer): string {
  return `${code} ${at(body, 'reason')}: ${at(body, 'message')}`;
}
