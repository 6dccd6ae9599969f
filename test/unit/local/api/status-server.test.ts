import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Protection, type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { openWdsUsers } from '#local/api/wds-users.ts';
import { noImpersonation } from '#shared/api/status-error.ts';
import { at, type JsonObject, parseJson } from '#shared/core/json.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import { type SelfSigned, selfSigned } from '#test/fakes/self-signed.ts';
import { ALICE, AskedApi, ROOT, status, WEB } from '#test/unit/api/ask.ts';

const LIST = `${ROOT}/namespaces/shop/wecstatuses`;
const WATCH = `${LIST}?watch=true`;

let asked: AskedApi;
let folder: string;
const servers: { stop(): unknown }[] = [];

beforeEach(() => {
  asked = new AskedApi();
  asked.source.put(status(WEB, 'east'));
  folder = mkdtempSync(join(tmpdir(), 'starfold-api-'));
});

afterEach(async () => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(protection: Protection, stallMs = 60_000): Promise<StatusServer> {
  const onError = (error: unknown) => asked.errors.push(error);
  const server = await startStatusServer({
    host: '127.0.0.1',
    port: 0,
    api: asked.api,
    protection,
    onError,
    stallMs,
  });
  servers.push(server);
  return server;
}

function serveOpen(stallMs?: number): Promise<StatusServer> {
  return serve({ type: 'own-machine', user: ALICE }, stallMs);
}

async function get(
  url: string,
  options: RequestOptions & {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
  } = {},
): Promise<IncomingMessage> {
  const request = (url.startsWith('https') ? httpsGet : httpGet)(url, { agent: false, ...options });
  const [answer] = await once(request, 'response');
  return answer;
}

async function bodyOf(answer: IncomingMessage): Promise<JsonObject> {
  return parseJson(await text(answer)) as JsonObject;
}

describe('the server of this machine', () => {
  it('answers without credentials', async () => {
    const { url } = await serveOpen();
    const answer = await get(`${url}${LIST}?limit=1`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
    expect(await bodyOf(answer)).toMatchObject({ items: [{ wec: 'east' }] });
  });

  it.each([
    { origin: 'https://example.com' },
    { 'sec-fetch-site': 'cross-site' },
    { host: 'example.com' },
  ])('answers no web page: %j', async (headers) => {
    const { url } = await serveOpen();
    const answer = await get(`${url}${LIST}`, { headers });
    expect(answer.statusCode).toBe(403);
    expect(await bodyOf(answer)).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
  });

  it('compresses large lists for clients that accept it, and no small ones', async () => {
    const { url } = await serveOpen();
    const headers = { 'accept-encoding': 'gzip' };
    const small = await get(`${url}${LIST}`, { headers });
    expect(small.headers['content-encoding']).toBeUndefined();
    await text(small);
    for (let number = 0; number < 1_000; number += 1)
      asked.source.put(status(WEB, `wec-${number}`));
    const large = await get(`${url}${LIST}`, { headers });
    expect(large.headers['content-encoding']).toBe('gzip');
    const chunks: Buffer[] = [];
    for await (const chunk of large) chunks.push(chunk as Buffer);
    const items = at(parseJson(gunzipSync(Buffer.concat(chunks)).toString()), 'items');
    expect(items).toHaveLength(1_001);
    const plain = await get(`${url}${LIST}`);
    expect((await bodyOf(plain))['items']).toHaveLength(1_001);
  });

  it('sends the events of a watch as they come, and ends it in good order when it stops', async () => {
    const server = await serveOpen();
    const answer = await get(`${server.url}${WATCH}`);
    expect(answer.statusCode).toBe(200);
    answer.setEncoding('utf8');
    const lines = answer[Symbol.asyncIterator]();
    expect((await lines.next()).value).toContain('"type":"ADDED"');
    asked.source.put(status(WEB, 'east', { ready: '0/3' }));
    expect((await lines.next()).value).toContain('"type":"MODIFIED"');
    const end = lines.next();
    await server.stop();
    expect((await end).done).toBe(true);
    expect(answer.complete).toBe(true);
    expect(asked.source.subscribers).toBe(0);
  });

  it('ends the watch of a client that has gone', async () => {
    const { url } = await serveOpen();
    const answer = await get(`${url}${WATCH}`);
    await once(answer, 'data');
    expect(asked.source.subscribers).toBe(1);
    answer.destroy();
    while (asked.source.subscribers > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('disconnects a client that stops reading, and holds one page for it meanwhile', async () => {
    const big = 'x'.repeat(20_000);
    for (let number = 0; number < 3_000; number += 1)
      asked.source.put(status(WEB, `wec-${number}`, { status: { big } }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await serveOpen(50);
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`GET ${LIST} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    while (asked.source.reads.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await asked.settled();
    // The server waits for the client to read.
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(50);
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    // What fits into the buffers of both sides, and no more.
    expect(asked.source.reads.length).toBeLessThan(2_000);
    expect(asked.errors).toEqual([]);
  });

  it('cuts off an answer that cannot be finished, so that the client does not take it for whole', async () => {
    for (let number = 0; number < 1_000; number += 1)
      asked.source.put(status(WEB, `wec-${number}`));
    let pages = 0;
    const page = asked.source.wecStatuses.bind(asked.source);
    asked.source.wecStatuses = async (request) => {
      pages += 1;
      if (pages > 1) throw new Error('gone');
      return page(request);
    };
    const { url } = await serveOpen();
    const answer = await get(`${url}${LIST}`);
    expect(answer.statusCode).toBe(200);
    await expect(text(answer)).rejects.toThrow('aborted');
    expect(asked.errors).toHaveLength(1);
  });

  it('keeps connections for longer than Go does', async () => {
    const { url } = await serveOpen();
    expect(
      (await get(`${url}/healthz`, { headers: { connection: 'keep-alive' } })).headers[
        'keep-alive'
      ],
    ).toBe('timeout=120');
  });
});

/** A WDS that knows some tokens and authorities. */
function wdsOf(data: JsonObject) {
  const reviewed: string[] = [];
  return {
    reviewed,
    failure: undefined as Error | undefined,
    async get() {
      return { apiVersion: 'v1', kind: 'ConfigMap', data };
    },
    async create(_ref: unknown, review: JsonObject): Promise<JsonObject> {
      const token = String(at(review, 'spec', 'token'));
      reviewed.push(token);
      if (this.failure !== undefined) throw this.failure;
      if (token === 'bad') return { ...review, status: {} };
      const user = { username: 'bob', uid: 'u-2', groups: ['dev'], extra: { scopes: ['x'] } };
      return { ...review, status: { authenticated: token === 'good', user } };
    },
  };
}

const PROXY_DATA = {
  'requestheader-allowed-names': '["starfold test"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};

async function serveSecure(data: JsonObject, wds = wdsOf(data)) {
  const pair = selfSigned();
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  writeFileSync(files.certFile, pair.cert);
  writeFileSync(files.keyFile, pair.key);
  const users = await openWdsUsers({ wds, onError: (error) => asked.errors.push(error) });
  servers.push(users);
  const { authenticate, authorities } = users;
  const { url } = await serve({
    type: 'tls',
    files,
    authenticate,
    authorities,
    onCertificateFault: () => undefined,
  });
  const ask = (headers: Record<string, string | string[]> = {}, client?: SelfSigned) =>
    get(`${url}${LIST}`, { ca: pair.cert, headers, ...client });
  return { ask, url, ca: pair.cert, wds };
}

function user(): unknown {
  return at(asked.wds.asked[0], 'spec');
}

describe('the direct door', () => {
  it('knows the user of a token by the WDS, and asks it once in 10 seconds', async () => {
    const { ask, wds } = await serveSecure({});
    expect((await ask({ authorization: 'Bearer good' })).statusCode).toBe(200);
    expect((await ask({ authorization: 'bearer good' })).statusCode).toBe(200);
    expect(wds.reviewed).toEqual(['good']);
    expect(user()).toMatchObject({
      user: 'bob',
      uid: 'u-2',
      groups: ['dev'],
      extra: { scopes: ['x'] },
    });
  });

  it.each([
    {},
    { authorization: 'Bearer bad' },
    { authorization: 'Bearer expired' },
    { authorization: 'Basic Ym9iOmdvb2Q=' },
    { 'x-remote-user': 'admin' },
  ])('rejects %j with 401', async (headers: Record<string, string>) => {
    const { ask } = await serveSecure({
      ...PROXY_DATA,
      'requestheader-client-ca-file': selfSigned().cert,
    });
    const answer = await ask(headers);
    expect(answer.statusCode).toBe(401);
    expect(await bodyOf(answer)).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
    expect(asked.wds.asked).toEqual([]);
  });

  it('answers 503 if the WDS does not answer, and asks again', async () => {
    const { ask, wds } = await serveSecure({});
    wds.failure = new ApiUnavailableError('create', 'down');
    const answer = await ask({ authorization: 'Bearer good' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    wds.failure = undefined;
    expect((await ask({ authorization: 'Bearer good' })).statusCode).toBe(200);
  });

  it('knows users by certificates of the authority of the WDS, and no others', async () => {
    const client = selfSigned();
    const { ask } = await serveSecure({ 'client-ca-file': client.cert });
    expect((await ask({}, client)).statusCode).toBe(200);
    expect(user()).toMatchObject({ user: 'starfold test', groups: ['system:authenticated'] });
    expect((await ask({}, selfSigned())).statusCode).toBe(401);
  });

  it('knows no user by a certificate that has expired', async () => {
    const client = selfSigned('20250102000000Z');
    const { ask } = await serveSecure({ 'client-ca-file': client.cert });
    expect((await ask({}, client)).statusCode).toBe(401);
  });

  it.each([
    ['impersonate-user', 'bob'],
    ['Impersonate-Group', 'system:masters'],
    ['impersonate-uid', 'u-2'],
    ['impersonate-extra-scopes', 'view'],
  ])('does not answer a request with the header %s as if it had none', async (header, value) => {
    const client = selfSigned();
    const { ask } = await serveSecure({ 'client-ca-file': client.cert });
    const users = [
      [{ authorization: 'Bearer good' }, undefined],
      [{}, client],
    ] as const;
    for (const [credentials, certificate] of users) {
      const answer = await ask({ ...credentials, [header]: value }, certificate);
      expect(answer.statusCode).toBe(400);
      expect(await bodyOf(answer)).toMatchObject({
        reason: 'BadRequest',
        message: noImpersonation().message,
      });
    }
    expect((await ask({ [header]: value })).statusCode).toBe(401);
    expect(asked.wds.asked).toEqual([]);
  });

  it('answers discovery without credentials', async () => {
    const { url, ca } = await serveSecure({});
    expect((await get(`${url}/apis`, { ca })).statusCode).toBe(200);
    // kubectl goes on with discovery after a 404 of the core group, and after no other answer.
    expect((await get(`${url}/api`, { ca })).statusCode).toBe(404);
  });
});

describe('the door of an APIService', () => {
  it('knows the user for whom the front proxy speaks, also in groups with a comma', async () => {
    const proxy = selfSigned();
    const { ask } = await serveSecure({
      ...PROXY_DATA,
      'requestheader-client-ca-file': proxy.cert,
    });
    const headers = {
      'x-remote-user': 'carol',
      'x-remote-uid': 'u-3',
      'x-remote-group': ['a, b', 'c'],
      'x-remote-extra-example.com%2Fid': 'i',
    };
    expect((await ask(headers, proxy)).statusCode).toBe(200);
    expect(user()).toMatchObject({
      user: 'carol',
      uid: 'u-3',
      groups: ['a, b', 'c'],
      extra: { 'example.com/id': ['i'] },
    });
  });

  it.each([
    [
      'a certificate of another authority',
      (proxy: SelfSigned) => ({ ca: selfSigned().cert, client: proxy, names: '["starfold test"]' }),
    ],
    [
      'a name that is not allowed',
      (proxy: SelfSigned) => ({ ca: proxy.cert, client: proxy, names: '["front-proxy"]' }),
    ],
    ['no certificate', (proxy: SelfSigned) => ({ ca: proxy.cert, client: undefined, names: '[]' })],
  ])('rejects %s with 401', async (_what, given) => {
    const { ca, client, names } = given(selfSigned());
    const { ask } = await serveSecure({
      ...PROXY_DATA,
      'requestheader-client-ca-file': ca,
      'requestheader-allowed-names': names,
    });
    expect((await ask({ 'x-remote-user': 'admin' }, client)).statusCode).toBe(401);
    expect(asked.wds.asked).toEqual([]);
  });

  it('believes no headers of users with a certificate', async () => {
    const [proxy, client] = [selfSigned(), selfSigned()];
    const { ask } = await serveSecure({
      ...PROXY_DATA,
      'requestheader-client-ca-file': proxy.cert,
      'client-ca-file': client.cert,
    });
    expect((await ask({ 'x-remote-user': 'admin' }, client)).statusCode).toBe(200);
    expect(user()).toMatchObject({ user: 'starfold test' });
  });

  it('rejects a front proxy that names nobody', async () => {
    const proxy = selfSigned();
    const { ask } = await serveSecure({
      ...PROXY_DATA,
      'requestheader-client-ca-file': proxy.cert,
      'client-ca-file': selfSigned().cert,
    });
    expect((await ask({}, proxy)).statusCode).toBe(401);
  });
});
