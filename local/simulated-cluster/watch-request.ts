import type { ServerResponse } from 'node:http';
import { expired, type StatusError } from '#shared/api/status-error.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { ApiRequest } from './api-request.ts';
import { type ApiTarget, type ClusterParts, selectionOf, wholeNumber } from './api-target.ts';
import { apiVersionOf } from './resources.ts';
import { type ObjectEvent, StoredObject, watchLine } from './stored-object.ts';
import { tableOf } from './table.ts';
import { WatchStream } from './watch-stream.ts';

const DEFAULT_TIMEOUT_SECONDS = 3600;
const INITIAL_EVENTS_END = { annotations: { 'k8s.io/initial-events-end': 'true' } };

type Line = Buffer | string;

interface Watching {
  readonly parts: ClusterParts;
  readonly target: ApiTarget;
  readonly request: ApiRequest;
  readonly selects: (stored: StoredObject) => boolean;
}

function objectLine(
  { parts, target, request }: Watching,
  type: string,
  stored: StoredObject,
): string {
  if (request.form === 'json') return watchLine(type, stored.text);
  const table = tableOf(target.definition, [stored], {
    listMetadata: { resourceVersion: String(stored.version) },
    include: request.include,
    now: parts.clock(),
  });
  return watchLine(type, stringifyJson(table));
}

/** The line of a change for one watch, or `undefined` if the selection hides it. */
function eventLine(watching: Watching, event: ObjectEvent): Line | undefined {
  const { type, current, previous, version } = event;
  const before = previous !== undefined && watching.selects(previous);
  const after = type !== 'DELETED' && watching.selects(current);
  if (!before && !after) return undefined;
  if (type === 'MODIFIED' && before && !after)
    return objectLine(watching, 'DELETED', new StoredObject(previous.object, version));
  if (type === 'MODIFIED' && !before) return objectLine(watching, 'ADDED', current);
  return watching.request.form === 'json' ? event.line : objectLine(watching, type, current);
}

function bookmarkLine({ parts, target, request }: Watching, metadata: JsonObject = {}): string {
  const { definition } = target;
  const at = { ...metadata, resourceVersion: String(parts.store.version) };
  const object =
    request.form === 'table'
      ? tableOf(definition, [], { listMetadata: at, include: 'None', now: parts.clock() })
      : { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata: at };
  return watchLine('BOOKMARK', stringifyJson(object));
}

/** The first lines of a watch, or the error that its start version is unknown. */
function openingLines(watching: Watching): readonly Line[] | StatusError {
  const { parts, target, request, selects } = watching;
  const { store } = parts;
  const wanted = wholeNumber(request.query, 'resourceVersion') ?? 0;
  const listed = request.query.get('sendInitialEvents');
  if (listed === 'true' || (listed === null && wanted === 0)) {
    const objects = store.list(target.key, target.namespace).filter(selects);
    const lines = objects.map((stored) => objectLine(watching, 'ADDED', stored));
    return listed === 'true' ? [...lines, bookmarkLine(watching, INITIAL_EVENTS_END)] : lines;
  }
  if (wanted === 0) return [];
  // A version in the future comes from an earlier run of this cluster, which keeps nothing across a restart.
  const events = wanted > store.version ? undefined : store.eventsAfter(target.key, wanted);
  if (events === undefined)
    return expired(`too old resource version: ${wanted} (${store.oldestKnown(target.key)})`);
  return events.flatMap((event) => eventLine(watching, event) ?? []);
}

function follow(watching: Watching, stream: WatchStream): void {
  const { parts, target, request } = watching;
  const unsubscribe = parts.store.subscribe(target.key, (event) => {
    const line = eventLine(watching, event);
    if (line !== undefined) stream.send(line);
  });
  stream.onEnd(unsubscribe);
  const bookmarks = request.query.get('allowWatchBookmarks') === 'true';
  const mark = (): void => {
    if (bookmarks) stream.send(bookmarkLine(watching));
  };
  const interval = setInterval(mark, parts.bookmarkIntervalMs);
  const seconds = wholeNumber(request.query, 'timeoutSeconds') || DEFAULT_TIMEOUT_SECONDS;
  const timeout = setTimeout(() => {
    mark();
    stream.end();
  }, Math.min(seconds, DEFAULT_TIMEOUT_SECONDS) * 1000);
  stream.onEnd(() => {
    clearInterval(interval);
    clearTimeout(timeout);
  });
}

/**
 * Answers a watch until the client disconnects, its time is over, or the stream is ended.
 *
 * @returns the open stream
 * @throws StatusError 400 for a malformed query; 410 if expired watches are answered in this way
 */
export function answerWatch(
  { parts, target, request }: Omit<Watching, 'selects'>,
  response: ServerResponse,
): WatchStream {
  const watching = { parts, target, request, selects: selectionOf(target, request.query) };
  const opening = openingLines(watching);
  if (opening instanceof Error) {
    if (parts.expiredWatchAs === 'status') throw opening;
    const stream = new WatchStream(response);
    stream.send(watchLine('ERROR', stringifyJson(opening.toStatus())));
    stream.end();
    return stream;
  }
  const stream = new WatchStream(response);
  for (const line of opening) stream.send(line);
  follow(watching, stream);
  return stream;
}
