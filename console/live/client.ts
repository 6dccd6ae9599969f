import type { ApiObject } from '#console/model/api-objects.ts';
import { type JsonValue, parseJson, textAt } from '#shared/core/json.ts';

/** The API of what each WEC reports (docs/api.md). */
export const API = '/apis/status.starfold.dev/v1alpha1';
/** So many objects are read at a time, as kubectl does. */
const PAGE = '500';

/** The API has refused a request. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** The API does not answer at all. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

type Query = Readonly<Record<string, string>>;

function problemOf(code: number, body: string): ApiProblem {
  let status: JsonValue;
  try {
    status = parseJson(body);
  } catch {
    // Something else than the API has answered.
    status = {};
  }
  const message = textAt(status, 'message');
  return new ApiProblem(code, textAt(status, 'reason'), message === '' ? `HTTP ${code}` : message);
}

async function asked(path: string, query: Query, init: RequestInit): Promise<Response> {
  const search = new URLSearchParams(query);
  let response: Response;
  try {
    response = await fetch(`${path}${search.size === 0 ? '' : `?${search}`}`, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw new NotConnected('the API does not answer', { cause: error });
  }
  if (response.ok) return response;
  throw problemOf(response.status, await response.text());
}

/** The body of a response that may be cut off. */
async function wholeText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw new NotConnected('the answer was cut off', { cause: error });
  }
}

/**
 * Gets one object.
 *
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function getObject<T extends ApiObject>(
  path: string,
  query: Query,
  signal: AbortSignal,
): Promise<T> {
  const response = await asked(path, query, { signal });
  return parseJson(await wholeText(response)) as unknown as T;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The revision at which the list was begun. */
  readonly revision: string;
}

interface ListBody<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

/**
 * Lists objects, page by page.
 *
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function* listPages<T extends ApiObject>(
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<Page<T>> {
  let next: string | undefined = '';
  while (next !== undefined) {
    const more: Query = next === '' ? {} : { continue: next };
    const response = await asked(path, { ...query, limit: PAGE, ...more }, { signal });
    const body = parseJson(await wholeText(response)) as unknown as ListBody<T>;
    yield { items: body.items, revision: body.metadata.resourceVersion };
    next = body.metadata.continue;
  }
}

/** An event of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

/**
 * Watches objects from a revision on. It ends when the server ends it.
 *
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function* watchEvents<T extends ApiObject>(
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const response = await asked(path, { ...query, watch: 'true' }, { signal });
  if (response.body === null) return;
  try {
    for await (const line of linesOf(response.body))
      yield parseJson(line) as unknown as WatchEvent<T>;
  } catch (error) {
    signal.throwIfAborted();
    throw new NotConnected('the watch was cut off', { cause: error });
  }
}
