import { once } from 'node:events';
import { request } from 'node:http';
import { connect, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Check } from '#functions/event-forwarder/program/checks.ts';
import {
  type HealthServer,
  type HealthServerOptions,
  startHealthServer,
} from '#functions/event-forwarder/program/health-server.ts';

const running: HealthServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

const GOOD: Check = { name: 'queue', ok: true, text: 'accepts events' };
const BAD: Check = { name: 'jobs.batch/v1', ok: false, text: 'forbidden; allow it' };

async function start(change: Partial<HealthServerOptions> = {}): Promise<HealthServer> {
  const server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    liveness: () => [GOOD],
    readiness: () => [GOOD],
    metrics: async () => ({ text: 'up 1\n', contentType: 'text/plain; version=0.0.4' }),
    onError: () => undefined,
    ...change,
  });
  running.push(server);
  return server;
}

async function ask(server: HealthServer, path: string, method = 'GET') {
  const outgoing = request({ host: '127.0.0.1', port: server.port, path, method }).end();
  const [response] = await once(outgoing, 'response');
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    text: await text(response),
  };
}

describe('the health server', () => {
  it.each(['/healthz', '/readyz'])('%s is ok while all checks are', async (path) => {
    const server = await start();
    expect(await ask(server, path)).toMatchObject({ status: 200, text: 'ok\n' });
  });

  it.each([
    ['/healthz', 'liveness'],
    ['/readyz', 'readiness'],
  ])('%s names failures with 503, and lists all checks on request', async (path, which) => {
    const server = await start({ [which]: () => [GOOD, BAD] });
    const name = path.slice(1);
    expect(await ask(server, path)).toMatchObject({
      status: 503,
      text: `[-]jobs.batch/v1: forbidden; allow it\n${name} check failed\n`,
    });
    expect(await ask(server, `${path}?verbose`)).toMatchObject({
      status: 503,
      text: `[+]queue: accepts events\n[-]jobs.batch/v1: forbidden; allow it\n${name} check failed\n`,
    });
  });

  it('lists the checks of a ready process on request', async () => {
    const server = await start();
    expect(await ask(server, '/readyz?verbose')).toMatchObject({
      status: 200,
      text: '[+]queue: accepts events\nreadyz check passed\n',
    });
  });

  it('gives the metrics in their own content type', async () => {
    const server = await start();
    const answer = await ask(server, '/metrics');
    expect(answer).toEqual({ status: 200, type: 'text/plain; version=0.0.4', text: 'up 1\n' });
  });

  it('answers 500 with the reason if the metrics cannot be collected, and continues', async () => {
    const errors: unknown[] = [];
    const error = new Error('no metrics');
    const server = await start({
      metrics: () => Promise.reject(error),
      onError: (one) => errors.push(one),
    });
    expect((await ask(server, '/metrics')).status).toBe(500);
    expect(errors).toEqual([error]);
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('reports a connection that it could not accept, and continues', async () => {
    const listening = vi.spyOn(Server.prototype, 'listen');
    const errors: unknown[] = [];
    const server = await start({ onError: (one) => errors.push(one) });
    const [listener] = listening.mock.contexts as Server[]; // It is a method of Server.
    listening.mockRestore();
    const error = new Error('accept EMFILE');
    listener?.emit('error', error);
    expect(errors).toEqual([error]);
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('answers HEAD without a body, and rejects unknown paths', async () => {
    const server = await start();
    expect(await ask(server, '/readyz', 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect((await ask(server, '/readyz', 'POST')).status).toBe(405);
    expect(await ask(server, '/')).toMatchObject({
      status: 404,
      text: expect.stringContaining('/readyz'),
    });
    expect((await ask(server, '//')).status).toBe(404);
  });

  it('names a port that is in use', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(
      `cannot listen on 127.0.0.1 port ${port} (EADDRINUSE): another process listens there: choose another server.port, or end that process`,
    );
  });

  it('ends with connections that nobody closes', async () => {
    const server = await startHealthServer({
      ...{ port: 0, host: '127.0.0.1', liveness: () => [], readiness: () => [] },
      metrics: async () => ({ text: '', contentType: 'text/plain' }),
      onError: () => undefined,
    });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    // The server resets it.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write('GET /healthz HTTP/1.1\r\n');
    await server.close();
    await closed;
  });
});
