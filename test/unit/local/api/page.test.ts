import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import type { PageFiles } from '#local/console/page-files.ts';
import { ALICE, AskedApi, ROOT, status, WEB } from '#test/unit/api/ask.ts';

const LIST = `${ROOT}/namespaces/shop/wecstatuses`;
const QUERY = `${ROOT}/namespaces/shop/statusqueries`;
const CONTENT = new TextEncoder().encode('<!doctype html>');
const PAGE: PageFiles = new Map([
  ['/', { headers: { 'content-type': 'text/html', etag: '"1"' }, content: CONTENT }],
]);

const servers: StatusServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(page: PageFiles | undefined = PAGE): Promise<StatusServer> {
  const { api, source } = new AskedApi();
  source.put(status(WEB, 'east'));
  const protection = { type: 'own-machine', user: ALICE, page } as const;
  const onError = (error: unknown): void => {
    throw error;
  };
  const server = await startStatusServer({ host: '127.0.0.1', port: 0, api, protection, onError });
  servers.push(server);
  return server;
}

async function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<IncomingMessage & { readonly whole: string }> {
  const asked = httpRequest(url, { method, headers, agent: false });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return Object.assign(answer, { whole: await text(answer) });
}

describe('the page', () => {
  it('is served beside the API, also to who comes by a link of another site', async () => {
    const { url } = await serve();
    const answer = await ask(`${url}/?theme=dark`, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(answer).toMatchObject({ statusCode: 200, whole: '<!doctype html>' });
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html', 'content-length': '15' });
  });

  it('is not sent again if it has not changed', async () => {
    const { url } = await serve();
    const answer = await ask(`${url}/`, { headers: { 'if-none-match': '"1"' } });
    expect(answer).toMatchObject({ statusCode: 304, whole: '' });
  });

  it('has a head without a body', async () => {
    const { url } = await serve();
    const answer = await ask(`${url}/`, { method: 'HEAD' });
    expect(answer).toMatchObject({ statusCode: 200, whole: '' });
  });

  it('is not served under another name, which another site may have given to this machine', async () => {
    const { url } = await serve();
    const answer = await ask(`${url}/`, { headers: { host: 'example.com' } });
    expect(answer.statusCode).toBe(403);
    expect(answer.whole).not.toContain('doctype');
  });

  it('is not there where none is given', async () => {
    const { api } = new AskedApi();
    const protection = { type: 'own-machine', user: ALICE } as const;
    const options = { host: '127.0.0.1', port: 0, api, protection, onError: () => undefined };
    const server = await startStatusServer(options);
    servers.push(server);
    expect((await ask(`${server.url}/`)).statusCode).toBe(404);
  });

  it('reads and asks what its server says', async () => {
    const { url } = await serve();
    const own = { origin: url, 'sec-fetch-site': 'same-origin' };
    const list = await ask(`${url}${LIST}`, { headers: own });
    expect(list.statusCode).toBe(200);
    const query = await ask(`${url}${QUERY}`, {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'status.starfold.dev/v1alpha1',
        kind: 'StatusQuery',
        spec: { workloads: {}, select: [{ name: 'n', def: 'inventory.name' }] },
      }),
    });
    expect(query.statusCode).toBe(201);
  });

  it.each([
    ['another site', { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' }],
    [
      'another port of this machine',
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    ],
    ['a frame without an origin', { origin: 'null' }],
    ['another name', { host: 'example.com', origin: 'http://example.com' }],
    ['a browser that says both', { 'sec-fetch-site': 'cross-site' }],
  ])('is the only one that may: %s may not', async (_of, headers) => {
    const { url } = await serve();
    const answer = await ask(`${url}${LIST}`, { headers });
    expect(answer.statusCode).toBe(403);
  });

  it('is nothing that can be written', async () => {
    const { url } = await serve();
    expect((await ask(`${url}/`, { method: 'POST', body: 'x' })).statusCode).toBe(404);
  });
});
