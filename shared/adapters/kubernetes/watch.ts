import type { IncomingMessage } from 'node:http';
import { at, isObject, type JsonValue, member, parseJson } from '#shared/core/json.ts';
import type { Resource, Selection, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { errorOfRefusal, isTranslated, reasonOf, refusalOf, unavailable } from './api-error.ts';
import type { Connection } from './connection.ts';
import { collectionPath, resourceName, withQuery } from './paths.ts';

/** How long a watch lasts. */
export interface WatchTimes {
  /** The server is asked to end a watch after so many seconds, chosen between the two. */
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** A watch that the server has not ended so long after that time is taken for dead. */
  readonly graceMs: number;
  /** A number from 0 up to 1: spreads the ends of many watches. */
  readonly random: () => number;
}

function isChange(type: JsonValue | undefined): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/** Reads one line of a watch. Lines of a type that is not known are skipped, as the API's rules for clients ask. */
function parseLine(operation: string, line: string): WatchEvent | undefined {
  let event: JsonValue;
  try {
    event = parseJson(line);
  } catch (error) {
    throw unavailable(operation, 'a line that is not JSON', error);
  }
  const type = member(event, 'type');
  const object = member(event, 'object');
  if (type === 'ERROR') throw errorOfRefusal(operation, refusalOf(object, 500));
  if (type === 'BOOKMARK') {
    const resourceVersion = at(object, 'metadata', 'resourceVersion');
    return typeof resourceVersion === 'string' ? { type, resourceVersion } : undefined;
  }
  return isChange(type) && isObject(object) ? { type, object } : undefined;
}

/**
 * Calls back with each line of a stream.
 *
 * @throws whatever breaks the stream, and an Error when it ends within a line.
 */
async function eachLine(response: IncomingMessage, onLine: (line: string) => void): Promise<void> {
  response.setEncoding('utf8');
  let parts: string[] = [];
  for await (const chunk of response) {
    const lines = String(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = [...parts, line].join('');
      parts = [];
      if (whole !== '') onLine(whole);
    }
    if (rest !== '') parts.push(rest);
  }
  if (parts.length > 0) throw new Error('the stream ended within a line');
}

/** An error thrown by the receiver of events: it is passed on as it is. */
class ReceiverError extends Error {}

/** One watch: what to follow, and who is told. */
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

function deliver(watch: WatchRequest, operation: string, line: string): void {
  const event = parseLine(operation, line);
  if (event === undefined) return;
  try {
    watch.options.onEvent(event);
  } catch (error) {
    throw new ReceiverError('onEvent', { cause: error });
  }
}

function translate(operation: string, error: unknown, dead: boolean): unknown {
  if (error instanceof ReceiverError) return error.cause;
  if (dead)
    return unavailable(operation, 'the server did not end the watch: taken for dead', error);
  return isTranslated(error) ? error : unavailable(operation, reasonOf(error), error);
}

/**
 * Follows a resource from a resourceVersion, as `ResourceApi.watch` promises.
 *
 * @throws the errors of the Kubernetes port, and what `onEvent` throws.
 */
export async function watchResource(
  connection: Connection,
  times: WatchTimes,
  watch: WatchRequest,
): Promise<void> {
  const { resource, signal } = watch;
  if (signal?.aborted) return;
  const operation = `watch ${resourceName(resource)}`;
  const spread = times.random() * (times.maxSeconds - times.minSeconds);
  const timeoutSeconds = Math.floor(times.minSeconds + spread);
  const dead = new AbortController();
  const timer = setTimeout(() => dead.abort(), timeoutSeconds * 1000 + times.graceMs);
  const ended = signal === undefined ? dead.signal : AbortSignal.any([signal, dead.signal]);
  const path = watchPath(watch, timeoutSeconds);
  try {
    const response = await connection.open({ operation, method: 'GET', path, signal: ended });
    watch.options.onOpen?.();
    await eachLine(response, (line) => deliver(watch, operation, line));
  } catch (error) {
    if (!signal?.aborted || error instanceof ReceiverError)
      throw translate(operation, error, dead.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}
