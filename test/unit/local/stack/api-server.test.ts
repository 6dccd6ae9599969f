import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServeApiHandler } from '#functions/serve-api/lambda.ts';
import { cannotListen } from '#local/intake/messages.ts';
import { type ApiServer, startApiServer } from '#local/stack/api-server.ts';

const events: APIGatewayProxyEventV2[] = [];
const errors: unknown[] = [];
let server: ApiServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  events.length = 0;
  errors.length = 0;
});

async function start(
  handler: ServeApiHandler = async () => ({ statusCode: 200, body: '{}' }),
  host = '127.0.0.1',
): Promise<string> {
  server = await startApiServer({
    host,
    port: 0,
    handler: (event, context) => {
      events.push(event);
      return handler(event, context);
    },
    onError: (error) => errors.push(error),
  });
  return server.url;
}

/** Asks under another name for the host than the one that it is asked at. */
async function askAs(
  url: string,
  host: string,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof askAs>>>();
  request(`${url}/v1`, { headers: { host } }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

describe('the API of the embedded stack', () => {
  it('hands a request on as API Gateway does, and gives the answer back', async () => {
    const url = await start(async () => ({
      statusCode: 404,
      headers: { 'content-type': 'application/problem+json', allow: 'GET' },
      body: '{"detail":"nichts — hier"}',
    }));
    const answer = await fetch(`${url}/v1/fleet/a%3Ab/differences?limit=5&cursor=x%3D&limit=6`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toEqual({ detail: 'nichts — hier' });
    expect(events).toMatchObject([
      {
        version: '2.0',
        rawPath: '/v1/fleet/a%3Ab/differences',
        rawQueryString: 'limit=5&cursor=x%3D&limit=6',
        queryStringParameters: { limit: '5,6', cursor: 'x=' },
        requestContext: { http: { method: 'GET', path: '/v1/fleet/a%3Ab/differences' } },
      },
    ]);
  });

  it('does not wait for the body of a request', async () => {
    const url = await start();
    const answer = await fetch(`${url}/v1`, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect(answer.status).toBe(200);
    expect(events).toMatchObject([{ requestContext: { http: { method: 'POST' } } }]);
  });

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])(
    'answers who asks for this machine: %s',
    async (host) => {
      const url = await start();
      expect((await askAs(url, `${host}:${new URL(url).port}`)).status).toBe(200);
      // Through a tunnel.
      expect((await askAs(url, host)).status).toBe(200);
    },
  );

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'rejects a page of the web whose name leads here: %s',
    async (host) => {
      const answer = await askAs(await start(), host);
      expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('127.0.0.1') });
      expect(events).toEqual([]);
    },
  );

  it('logs what the handler throws, and answers only that it failed', async () => {
    const url = await start(() => Promise.reject(new Error('inside')));
    const answer = await fetch(`${url}/v1`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('inside');
    expect(errors).toEqual([new Error('inside')]);
  });

  it('says where it cannot listen, and what to do', async () => {
    const port = Number(new URL(await start()).port);
    const second = startApiServer({
      host: '127.0.0.1',
      port,
      handler: async () => ({}),
      onError: () => undefined,
    });
    await expect(second).rejects.toMatchObject({
      code: 'api-server',
      message: cannotListen({ host: '127.0.0.1', port }, '--api', { code: 'EADDRINUSE' }),
    });
  });
});
