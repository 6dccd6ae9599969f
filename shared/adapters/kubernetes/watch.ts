import type { IncomingMessage } from 'node:http';
import { at, isObject, type JsonValue, member } from '#shared/core/json.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import type { Resource, Selection, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { acceptOf } from './accept.ts';
import { MAX_OBJECT_BYTES, moreThan } from './answer-body.ts';
import { parseAnswer } from './answer-json.ts';
import { errorOfRefusal, isTranslated, reasonOf, refusalOf, unavailable } from './api-error.ts';
import type { ApiRequest, Connection } from './connection.ts';
import { CUT_LINE } from './messages.ts';
import { collectionPath, withQuery } from './paths.ts';
import { ThreadTurn } from './thread-turn.ts';
import { WatchGuard, type WatchTimes } from './watch-guard.ts';

function isChange(type: JsonValue | undefined): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/**
 * Reads one line of a watch. Lines of unknown types are ignored, as the API's rules for clients require.
 *
 * @param before the resourceVersion of the previous line, for an object without one.
 */
function parseLine(operation: string, line: string, before: string): WatchEvent | undefined {
  const event = parseAnswer(operation, line, { what: 'a line' });
  const type = member(event, 'type');
  const object = member(event, 'object');
  if (type === 'ERROR') throw errorOfRefusal(operation, refusalOf(object, 500));
  const reported = at(object, 'metadata', 'resourceVersion');
  const resourceVersion = typeof reported === 'string' ? reported : before;
  if (type === 'BOOKMARK') return { type, resourceVersion };
  return isChange(type) && isObject(object) ? { type, resourceVersion, object } : undefined;
}

/** The beginning of an incomplete line. */
class BegunLine {
  #parts: string[] = [];
  #characters = 0;

  /** @throws AnswerTooLargeError beyond the limit for one object */
  add(part: string): void {
    if (part !== '') this.#parts.push(part);
    this.#characters += part.length;
    if (this.#characters > MAX_OBJECT_BYTES) throw moreThan(MAX_OBJECT_BYTES);
  }

  /** Returns the text so far, and removes it. */
  take(): string {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#characters = 0;
    return text;
  }
}

/**
 * Calls back with each line of a stream, and before that with each piece that arrives.
 *
 * @throws the error of the stream, AnswerTooLargeError for a line that does not end, and an Error if the stream ends within a
 * line.
 */
async function eachLine(
  response: IncomingMessage,
  { onPiece, onLine }: { readonly onPiece: () => void; readonly onLine: (line: string) => void },
  turn: ThreadTurn,
): Promise<void> {
  response.setEncoding('utf8');
  const begun = new BegunLine();
  for await (const chunk of response) {
    turn.begin();
    onPiece();
    const lines = String(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = begun.take() + line;
      if (whole === '') continue;
      onLine(whole);
      await turn.pause();
    }
    begun.add(rest);
  }
  if (begun.take() !== '') throw new Error(CUT_LINE);
}

/** An error that the receiver of events threw. It is passed on unchanged. */
class ReceiverError extends Error {}

/** One watch: the resource, and the callbacks. */
export interface WatchRequest {
  readonly resource: Resource;
  readonly options: Selection & {
    readonly resourceVersion: string;
    readonly onEvent: (event: WatchEvent) => void;
    readonly onOpen?: () => void;
  };
  readonly signal: AbortSignal | undefined;
}

function watchPath({ resource, options }: WatchRequest, timeoutSeconds: number): string {
  return withQuery(collectionPath(resource), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    timeoutSeconds,
    labelSelector: options.labelSelector,
  });
}

/** Passes each line to the receiver, and keeps the position of the watch. */
function receiver({ options }: WatchRequest, operation: string): (line: string) => void {
  const { reduce, onEvent } = options;
  let { resourceVersion } = options;
  return (line) => {
    const event = parseLine(operation, line, resourceVersion);
    if (event === undefined) return;
    ({ resourceVersion } = event);
    try {
      if (reduce === undefined || event.type === 'BOOKMARK') onEvent(event);
      else onEvent({ ...event, object: reduce(event.object) });
    } catch (error) {
      throw new ReceiverError('onEvent', { cause: error });
    }
  };
}

function translate(operation: string, error: unknown, dead: AbortSignal): unknown {
  if (error instanceof ReceiverError) return error.cause;
  if (dead.aborted) return unavailable(operation, String(dead.reason), error);
  return isTranslated(error) ? error : unavailable(operation, reasonOf(error), error);
}

/**
 * Follows a resource from a resourceVersion, as `ResourceApi.watch` describes.
 *
 * @throws the errors of the Kubernetes port, and the errors of `onEvent` and `reduce`.
 */
export async function watchResource(
  connection: Connection,
  times: WatchTimes,
  watch: WatchRequest,
): Promise<void> {
  const { resource, options, signal } = watch;
  if (signal?.aborted) return;
  const operation = `watch ${resourceName(resource)}`;
  const guard = new WatchGuard(times);
  const request: ApiRequest = {
    operation,
    method: 'GET',
    path: watchPath(watch, guard.timeoutSeconds),
    ...acceptOf(options, 'PartialObjectMetadata'),
    signal: signal === undefined ? guard.signal : AbortSignal.any([signal, guard.signal]),
  };
  try {
    const response = await connection.open(request);
    // Before this, the connection's own timeout applies.
    guard.start();
    options.onOpen?.();
    const lines = { onPiece: () => guard.heard(), onLine: receiver(watch, operation) };
    await eachLine(response, lines, new ThreadTurn(request.signal));
  } catch (error) {
    if (!signal?.aborted || error instanceof ReceiverError)
      throw translate(operation, error, guard.signal);
  } finally {
    guard.stop();
  }
}
