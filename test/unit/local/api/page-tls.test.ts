import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startStatusServer } from '#local/api/status-server.ts';
import type { PageFiles } from '#local/console/page-files.ts';
import { serveStatusApi } from '#local/start/status-api.ts';
import { createQueryRunner } from '#shared/api/run-query.ts';
import { unauthorized } from '#shared/api/status-error.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { ALICE, AskedApi, ROOT, status, WEB } from '#test/unit/api/ask.ts';

const LIST = `${ROOT}/namespaces/shop/wecstatuses`;
const COMBINED = '/apis/control.kubestellar.io/v1alpha1/namespaces/shop/combinedstatuses';
const PAGE: PageFiles = new Map([
  [
    '/',
    {
      headers: { 'content-type': 'text/html', etag: '"1"' },
      content: new TextEncoder().encode('<html>'),
    },
  ],
]);
const { cert, key } = selfSigned();

let folder: string;
const closing: (() => unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-page-'));
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
});

function files() {
  return { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
}

async function ask(url: string, headers: Readonly<Record<string, string>> = {}) {
  const asked = httpsRequest(url, { headers, ca: cert, agent: false, servername: 'localhost' });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { code: answer.statusCode, body: await text(answer) };
}

/** A server whose users have the token `alice`, with or without a page. */
async function serve(page?: PageFiles): Promise<string> {
  const { api, source } = new AskedApi();
  source.put(status(WEB, 'east'));
  const server = await startStatusServer({
    ...{ host: '127.0.0.1', port: 0, api, onError: () => undefined },
    protection: {
      type: 'tls',
      files: files(),
      authorities: () => [],
      authenticate: async ({ headers }) => {
        if (headers.authorization === 'Bearer alice') return ALICE;
        throw unauthorized();
      },
      onCertificateFault: () => undefined,
      ...(page === undefined ? {} : { page }),
    },
  });
  closing.push(() => server.stop());
  return server.url;
}

const ALICES = { authorization: 'Bearer alice' };

describe('a page beside the API of a WDS', () => {
  it('is served to everybody, under any name, and only if that is asked for', async () => {
    const headers = { host: 'starfold.example.com', 'sec-fetch-site': 'cross-site' };
    expect(await ask(`${await serve(PAGE)}/`, headers)).toEqual({ code: 200, body: '<html>' });
    expect((await ask(`${await serve()}/`, ALICES)).code).toBe(404);
  });

  it('reads with the token that a proxy adds, and not without', async () => {
    const url = await serve(PAGE);
    const own = { 'sec-fetch-site': 'same-origin', origin: 'https://starfold.example.com' };
    expect((await ask(`${url}${LIST}`, { ...own, ...ALICES })).code).toBe(200);
    expect((await ask(`${url}${LIST}`, own)).code).toBe(401);
    expect((await ask(`${url}${LIST}`, ALICES)).code).toBe(200);
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://other.example.com' },
    { origin: 'https://other.example.com' },
    { origin: 'null' },
  ])('is the only one that reads with the token: %s', async (headers) => {
    const url = await serve(PAGE);
    expect((await ask(`${url}${LIST}`, { ...headers, ...ALICES })).code).toBe(403);
  });
});

/** An open connection on which requests are sent. */
async function connection(url: string) {
  const socket = connect({ port: Number(new URL(url).port), ca: cert, servername: 'localhost' });
  closing.push(() => socket.destroy());
  let told = '';
  socket.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'secureConnect');
  return {
    closed,
    isOpen: () => !socket.destroyed,
    get: async (path: string, headers = '') => {
      told = '';
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
      while (!told.includes('\r\n\r\n')) await once(socket, 'data');
      return told.slice(0, told.indexOf('\r\n'));
    },
  };
}

describe('connections without a user', () => {
  it('are 64 of one address: a further one ends the oldest, and none on which a user was found', async () => {
    const url = await serve();
    const known = await connection(url);
    expect(await known.get(LIST, 'authorization: Bearer alice\r\n')).toContain(' 200 ');
    const strangers: Awaited<ReturnType<typeof connection>>[] = [];
    for (let count = 0; count < 64; count += 1) strangers.push(await connection(url));
    const [first, second] = strangers;
    if (first === undefined || second === undefined) throw new RangeError('no connections');
    expect(await first.get('/version')).toContain(' 200 ');
    const further = await connection(url);
    await first.closed;
    expect(await further.get('/version')).toContain(' 200 ');
    expect(second.isOpen()).toBe(true);
    expect(await known.get(LIST, 'authorization: Bearer alice\r\n')).toContain(' 200 ');
  });
});

describe('the WDS behind such a page', () => {
  it('is asked with the token of the user, and never as Starfold', async () => {
    const asked: string[] = [];
    const wds = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"kind":"CombinedStatusList","items":[]}');
    });
    wds.listen(0, '127.0.0.1');
    await once(wds, 'listening');
    closing.push(() => wds.close());
    const { port } = wds.address() as AddressInfo;
    const wdsConfig = new KubeConfig();
    wdsConfig.loadFromOptions({
      clusters: [{ name: 'wds1', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }],
      users: [{ name: 'starfold', token: 'of-starfold' }],
      contexts: [{ name: 'wds1', cluster: 'wds1', user: 'starfold' }],
      currentContext: 'wds1',
    });
    const { source } = new AskedApi();
    const review = {
      create: async (_ref: unknown, object: object) => ({
        ...object,
        status: { authenticated: true, allowed: true, user: { username: 'alice' } },
      }),
      get: async () => undefined,
    };
    const told: string[] = [];
    const say = (thing: string, said: string): void => void told.push(`${thing}: ${said}`);
    const server = await serveStatusApi(
      { host: '127.0.0.1', port: 0, tls: files(), page: true },
      {
        ...{ source, queries: createQueryRunner(source) },
        wds: { name: 'wds1', api: review } as unknown as Parameters<
          typeof serveStatusApi
        >[1]['wds'],
        wdsConfig,
        monitor: { problem: () => true, message: say.bind(undefined, 'message') } as never,
        output: { say },
      },
    );
    closing.push(() => server.stop());
    const answer = await ask(`${server.url}${COMBINED}?limit=1`, ALICES);
    expect(answer).toMatchObject({
      code: 200,
      body: expect.stringContaining('CombinedStatusList'),
    });
    expect(asked).toEqual([`GET ${COMBINED}?limit=1 Bearer alice`]);
    expect((await ask(`${server.url}${COMBINED}`)).code).toBe(401);
    expect((await ask(`${server.url}/api/v1/secrets`, ALICES)).code).toBe(404);
    expect(asked.length).toBe(1);
    expect(told).toEqual([]);
  });
});
