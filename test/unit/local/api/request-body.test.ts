import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { MAX_QUERY_BYTES } from '#shared/api/query-request.ts';
import { at, parseJson, stringifyJson } from '#shared/core/json.ts';
import { ALICE, AskedApi, ROOT, status, WEB } from '#test/unit/api/ask.ts';

const QUERIES = `${ROOT}/namespaces/shop/statusqueries`;
const SPEC = { select: [{ name: 'ready', def: 'returned.status.readyReplicas' }] };
const JSON_HEADERS = { 'content-type': 'application/json' };

let asked: AskedApi;
let server: StatusServer;

beforeEach(async () => {
  asked = new AskedApi();
  asked.source.put(status(WEB, 'east'));
  server = await startStatusServer({
    ...{ host: '127.0.0.1', port: 0, api: asked.api },
    protection: { type: 'own-machine', user: ALICE },
    onError: (error) => asked.errors.push(error),
  });
});

afterEach(async () => {
  vi.useRealTimers();
  await server.stop();
});

function begin(headers: Readonly<Record<string, string | number>>): ClientRequest {
  const options = { method: 'POST', agent: false, headers: { ...JSON_HEADERS, ...headers } };
  // The server ends the connection of a request whose body it does not read.
  return httpRequest(`${server.url}${QUERIES}`, options).on('error', () => undefined);
}

async function post(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | number>> = {},
): Promise<IncomingMessage> {
  const request = begin(headers);
  request.end(body);
  const [answer] = await once(request, 'response');
  return answer;
}

it('is read and answered', async () => {
  const answer = await post(stringifyJson({ spec: SPEC }));
  expect(answer.statusCode).toBe(201);
  expect(at(parseJson(await text(answer)), 'status', 'rows')).toHaveLength(1);
});

it('may come in pieces', async () => {
  const request = begin({ 'transfer-encoding': 'chunked' });
  for (const piece of stringifyJson({ spec: SPEC })) request.write(piece);
  request.end();
  const [answer] = await once(request, 'response');
  expect(answer.statusCode).toBe(201);
  answer.resume();
});

it.each([
  ['is said to be too large', { 'content-length': MAX_QUERY_BYTES + 1 }],
  ['is too large', { 'transfer-encoding': 'chunked' }],
])('is 413 if it %s, and the connection ends', async (_what, headers) => {
  const answer = await post('x'.repeat(MAX_QUERY_BYTES + 1), headers);
  expect(answer.statusCode).toBe(413);
  expect(answer.headers.connection).toBe('close');
  expect(at(parseJson(await text(answer)), 'reason')).toBe('RequestEntityTooLarge');
});

it.each<[string, string | Uint8Array, Readonly<Record<string, string>>, number]>([
  ['is compressed', '{}', { 'content-encoding': 'gzip' }, 415],
  ['is YAML', 'spec: {}', { 'content-type': 'application/yaml' }, 415],
  ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), {}, 400],
  ['is not JSON', '{', {}, 400],
])('that %s is an error', async (...[, body, headers, code]) => {
  const answer = await post(body, headers);
  expect(answer.statusCode).toBe(code);
  expect(parseJson(await text(answer))).toMatchObject({ kind: 'Status', code });
});

it('is 408 if it does not come in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const request = begin({ 'content-length': 100 });
  request.write('{');
  const answered = once(request, 'response');
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { interval: 1 });
  // Some of the timers are those of the connection.
  await vi.advanceTimersByTimeAsync(10_000);
  const [answer] = await answered;
  expect(answer.statusCode).toBe(408);
  expect(answer.headers.connection).toBe('close');
  answer.resume();
});

it('that ends early is no error of the server', async () => {
  const request = begin({ 'content-length': 100 });
  request.write('{');
  await vi.waitFor(() => expect(asked.wds.asked).toHaveLength(1));
  request.destroy();
  await server.stop();
  expect(asked.errors).toEqual([]);
});
