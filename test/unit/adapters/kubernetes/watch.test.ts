import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import {
  CUT_LINE,
  noAnswer,
  nothingReceived,
  WATCH_NOT_ENDED,
} from '#shared/adapters/kubernetes/messages.ts';
import type { WatchTimes } from '#shared/adapters/kubernetes/watch-guard.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import type { ResourceApi, Selection, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

let server: HttpApiServer;
let api: ResourceApi;

function create(times: Partial<WatchTimes> = {}): void {
  api = createKubernetesApi(server.kubeConfig(), {
    requestTimeoutMs: 5000,
    fieldManager: 'starfold',
    watch: { random: () => 0.5, ...times },
  });
}

beforeEach(async () => {
  server = await startHttpApiServer();
  create();
});

afterEach(() => server.close());

function status(code: number): object {
  return { kind: 'Status', status: 'Failure', message: `refused with ${code}`, code };
}

/** Sends these pieces one after the other, each in a packet of its own, and then ends. */
function stream(
  pieces: readonly string[],
  end: (response: ServerResponse) => void,
  pauseMs = 5,
): void {
  server.answer = async (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    end(response);
  };
}

async function watch(
  selection: Selection = {},
  signal?: AbortSignal,
): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  const onEvent = (event: WatchEvent): void => void events.push(event);
  await api.watch(DEPLOYMENTS, { ...selection, resourceVersion: '7', onEvent }, signal);
  return events;
}

const web = (name: string, resourceVersion: string | undefined): JsonObject => ({
  kind: 'Deployment',
  metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  spec: { replicas: 1 },
});
const added = (name: string, resourceVersion?: string): string =>
  `${JSON.stringify({ type: 'ADDED', object: web(name, resourceVersion) })}\n`;
const bookmark = `${JSON.stringify({
  type: 'BOOKMARK',
  object: { kind: 'Deployment', metadata: { resourceVersion: '99' } },
})}\n`;
const close = (response: ServerResponse): void => void response.end();

it('a watch asks for bookmarks and for an end between five and ten minutes', async () => {
  stream([], close);
  await watch({ labelSelector: 'a=b' });
  expect(server.requests.map(({ line }) => line)).toEqual([
    'GET /apis/apps/v1/deployments?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=450&labelSelector=a%3Db',
  ]);
});

it('a watch reports changes and bookmarks however the stream is cut, until the server ends it', async () => {
  const big = 'ä'.repeat(100_000);
  const text = `${added('a', '8')}${bookmark}\n${added(big, '100')}{"type":"NEW","object":{}}\n`;
  const bytes = Buffer.from(text);
  stream([text.slice(0, 30), text.slice(30, 31), bytes.subarray(31).toString()], close);
  expect(await watch()).toEqual([
    { type: 'ADDED', resourceVersion: '8', object: web('a', '8') },
    { type: 'BOOKMARK', resourceVersion: '99' },
    { type: 'ADDED', resourceVersion: '100', object: web(big, '100') },
  ]);
});

it('a watch says when the server has accepted it', async () => {
  const told: string[] = [];
  stream([added('a')], close);
  await api.watch(DEPLOYMENTS, {
    resourceVersion: '7',
    onOpen: () => told.push('open'),
    onEvent: ({ type }) => told.push(type),
  });
  expect(told).toEqual(['open', 'ADDED']);
});

it('a watch ends when it is aborted, also before it begins', async () => {
  const aborting = new AbortController();
  stream([added('a')], () => aborting.abort());
  expect(await watch({}, aborting.signal)).toHaveLength(1);
  expect(await watch({}, aborting.signal)).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

it.each([
  [
    'as the answer',
    () => (server.answer = (_request, response) => json(response, status(410), 410)),
  ],
  [
    'as an event',
    () =>
      stream([added('a'), `${JSON.stringify({ type: 'ERROR', object: status(410) })}\n`], close),
  ],
])('a watch learns that its version is too old %s', async (_case, prepare) => {
  prepare();
  await expect(watch()).rejects.toThrow(ResourceExpiredError);
});

it.each([
  [
    'another error event',
    `${JSON.stringify({ type: 'ERROR', object: status(500) })}\n`,
    'refused with 500',
  ],
  ['a line that is not JSON', 'hello\n', 'that is not JSON'],
  ['an end within a line', added('a').slice(0, -5), CUT_LINE],
])('a watch breaks on %s', async (_case, text, message) => {
  stream([text], close);
  const error = await watch().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiUnavailableError);
  expect(String(error)).toContain(message);
});

it('a watch breaks when the connection does', async () => {
  stream([added('a')], (response) => response.destroy());
  await expect(watch()).rejects.toThrow(ApiUnavailableError);
});

it('a watch is considered dead when the server does not end it as it was asked to', async () => {
  create({ minSeconds: 0, maxSeconds: 0, graceMs: 50 });
  stream([added('a')], () => undefined);
  await expect(watch()).rejects.toThrow(WATCH_NOT_ENDED);
});

it('a watch passes on what its receiver throws', async () => {
  stream([added('a')], close);
  const fault = new TypeError('a fault of the receiver');
  const onEvent = (): void => {
    throw fault;
  };
  await expect(api.watch(DEPLOYMENTS, { resourceVersion: '7', onEvent })).rejects.toBe(fault);
});

it('a watch reduces each object, and still says where it continues', async () => {
  stream([added('a', '8'), bookmark, added('b')], close);
  const reduce = ({ kind }: JsonObject): JsonObject => ({ kind: kind ?? '' });
  expect(await watch({ reduce })).toEqual([
    { type: 'ADDED', resourceVersion: '8', object: { kind: 'Deployment' } },
    { type: 'BOOKMARK', resourceVersion: '99' },
    // An object without a version: the watch is still where it was.
    { type: 'ADDED', resourceVersion: '99', object: { kind: 'Deployment' } },
  ]);
});

it('a watch continues from its start after an object without a resourceVersion', async () => {
  stream([added('a')], close);
  expect(await watch()).toMatchObject([{ resourceVersion: '7' }]);
});

it('a watch passes on what reduce throws', async () => {
  stream([added('a')], close);
  const fault = new TypeError('a fault of the receiver');
  const reduce = (): JsonObject => {
    throw fault;
  };
  await expect(watch({ reduce })).rejects.toBe(fault);
});

it('a watch asks for metadata alone, and for whole objects from a server that has no other form', async () => {
  stream([], close);
  await watch({ metadataOnly: true });
  await watch();
  expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    'application/json',
  ]);
});

it('a watch in which the server falls silent is considered dead', async () => {
  create({ idleMs: 50 });
  stream([added('a'), bookmark], () => undefined);
  const error = await watch().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiUnavailableError);
  expect(String(error)).toMatch(`watch deployments.apps/v1: ${nothingReceived(0.05)}`);
});

it('a watch that has never received anything is considered dead too', async () => {
  create({ idleMs: 50 });
  stream([], () => undefined);
  await expect(watch()).rejects.toThrow(/nothing received/);
});

it.each([
  ['bookmarks', bookmark],
  ['events', added('a')],
  ['parts of a line', ' '],
])('a watch that hears %s lives on', async (_case, piece) => {
  // Each piece comes within the idle time, all of them take far longer than it.
  create({ idleMs: 1000 });
  const pieces = Array.from({ length: 30 }, () => piece);
  stream(pieces, (response) => response.end('{}\n'), 100);
  await expect(watch()).resolves.toBeDefined();
});

it('a watch is not considered dead while its receiver is busy', async () => {
  create({ idleMs: 100 });
  stream([added('a'), added('b')], close, 0);
  const names: unknown[] = [];
  const onEvent = (event: WatchEvent): void => {
    if (event.type === 'BOOKMARK') return;
    // Nothing else runs meanwhile, neither timers nor sockets.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    names.push(at(event.object, 'metadata', 'name'));
  };
  await api.watch(DEPLOYMENTS, { resourceVersion: '7', onEvent });
  expect(names).toEqual(['a', 'b']);
});

it('a watch whose head does not come ends with the time for an answer', async () => {
  api = createKubernetesApi(server.kubeConfig(), {
    requestTimeoutMs: 50,
    fieldManager: 'starfold',
  });
  server.answer = () => undefined;
  await expect(watch()).rejects.toThrow(noAnswer(50));
});

it.each([
  {
    by: 'the header of a refusal',
    code: 429,
    headers: { 'Retry-After': '7' },
    body: 'Too many requests, please try again later.',
  },
  {
    by: 'the body of a refusal',
    code: 503,
    headers: {},
    body: JSON.stringify({ ...status(503), details: { retryAfterSeconds: 7 } }),
  },
])('a watch has the time of the next attempt, as $by does', async ({ code, headers, body }) => {
  server.answer = (_request, response) => {
    response.writeHead(code, headers);
    response.end(body);
  };
  await expect(watch()).rejects.toMatchObject({ status: code, retryAfterSeconds: 7 });
});

it('a watch has the time of the next attempt, as an ERROR event does', async () => {
  const object = { ...status(429), details: { retryAfterSeconds: 7 } };
  stream([`${JSON.stringify({ type: 'ERROR', object })}\n`], close);
  await expect(watch()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 });
});
