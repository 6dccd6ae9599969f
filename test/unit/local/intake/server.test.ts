import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  INTERNAL_ERROR,
  largeMessage,
  NO_TOKEN,
  notGzip,
  QUEUE_UNAVAILABLE,
  REQUEST_FORM,
} from '#local/intake/messages.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { post, type ServedIntake, serveIntake } from './served.ts';

const ONE = '{"messages":["x"]}';
const HEAD = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenOf('wec/a')}\r\n`;

async function dial({ port }: ServedIntake, said: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(said);
  return socket;
}

describe('POST /v1/events', () => {
  it('is answered with 202 once the messages are stored, in the name of the source of the token', async () => {
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const taken: string[] = [];
    await using intake = await serveIntake({
      take: async ({ name }, bodies) => {
        await stored;
        taken.push(name, ...bodies);
      },
    });
    const answer = post(intake, '{"messages":["one","two"]}');
    const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 50))]);
    expect(first).toBeUndefined();
    store();
    expect(await answer).toEqual([202, '']);
    expect(taken).toEqual(['a', 'one', 'two']);
  });

  it('is answered with the name of the state in which the messages are, once that is known', async () => {
    let state: string | undefined;
    await using intake = await serveIntake({ state: () => state });
    const named = async (authorization = `Bearer ${tokenOf('wec/a')}`): Promise<unknown> => {
      const headers = { authorization };
      const response = await fetch(`${intake.url}/v1/events`, {
        method: 'POST',
        headers,
        body: ONE,
      });
      await response.text();
      return [response.status, response.headers.get('Starfold-State')];
    };
    expect(await named()).toEqual([202, null]);
    state = 'state-1';
    expect(await named()).toEqual([202, 'state-1']);
    expect(await named('Bearer x')).toEqual([401, null]);
  });

  it('may be compressed', async () => {
    await using intake = await serveIntake();
    const body = gzipSync('{"messages":["é\\u0000"]}');
    expect(await post(intake, body, { 'content-encoding': 'gzip' })).toEqual([202, '']);
    expect(intake.taken).toEqual(['wec/a: é\u0000']);
  });

  it.each([
    ['no token', { authorization: '' }],
    ['another scheme', { authorization: `Basic ${tokenOf('wec/a')}` }],
    ['an unknown token', { authorization: `Bearer ${tokenOf('wec/c')}` }],
    ['the beginning of a token', { authorization: `Bearer ${tokenOf('wec/a').slice(0, -1)}` }],
    ['a token and more', { authorization: `Bearer ${tokenOf('wec/a')} x` }],
  ])('is rejected with %s', async (_what, headers) => {
    await using intake = await serveIntake();
    expect(await post(intake, ONE, headers)).toEqual([401, `${NO_TOKEN}\n`]);
    expect(intake.taken).toEqual([]);
  });

  it.each([
    '',
    'nonsense',
    '[]',
    'null',
    '"x"',
    '{}',
    '{"messages":"x"}',
    '{"messages":[]}',
    '{"messages":["x",""]}',
    '{"messages":["x",1]}',
    `{"messages":[${'"x",'.repeat(10)}"x"]}`,
    `{"messages":${'['.repeat(200_000)}`,
  ])('is rejected completely in any other form: %.40s', async (body) => {
    await using intake = await serveIntake();
    expect(await post(intake, body)).toEqual([400, `${REQUEST_FORM}\n`]);
    expect(intake.taken).toEqual([]);
    expect(await post(intake, ONE)).toEqual([202, '']);
    expect(intake.errors).toEqual([]);
  });

  it('is rejected if its bytes are not text, or not compressed as declared', async () => {
    await using intake = await serveIntake();
    expect((await post(intake, new Uint8Array([0x22, 0xff, 0x22])))[0]).toBe(400);
    expect(await post(intake, ONE, { 'content-encoding': 'gzip' })).toEqual([
      400,
      `${notGzip('Z_DATA_ERROR')}\n`,
    ]);
    expect((await post(intake, ONE, { 'content-encoding': 'br' }))[0]).toBe(415);
    expect(intake.taken).toEqual([]);
  });

  it('takes ten of the largest messages, and none that is larger', async () => {
    await using intake = await serveIntake();
    const largest = 'é'.repeat(MAX_MESSAGE_BYTES / 2);
    expect((await post(intake, JSON.stringify({ messages: Array(10).fill(largest) })))[0]).toBe(
      202,
    );
    expect(intake.taken).toHaveLength(10);
    expect(await post(intake, JSON.stringify({ messages: ['x', `${largest}x`] }))).toEqual([
      413,
      `${largeMessage(1)}\n`,
    ]);
    expect(intake.taken).toHaveLength(10);
  });

  it('is rejected for its decompressed size, before it is in memory', async () => {
    await using intake = await serveIntake();
    // A thousand times as much: 400 MB in 400 kB.
    const mebibyte = gzipSync(Buffer.alloc(1024 * 1024, ' '));
    const bomb = Buffer.concat(Array(400).fill(mebibyte));
    expect(bomb.length).toBeLessThan(500_000);
    const before = process.memoryUsage.rss();
    expect((await post(intake, bomb, { 'content-encoding': 'gzip' }))[0]).toBe(413);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
    expect(await post(intake, ONE)).toEqual([202, '']);
  });

  it('is rejected before it is read if it declares its length', async () => {
    await using intake = await serveIntake();
    const socket = await dial(intake, `${HEAD}Content-Length: 99999999\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /);
  });

  it('is rejected if it becomes too long without a declared length', async () => {
    await using intake = await serveIntake();
    const socket = await dial(intake, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    socket.on('error', () => undefined);
    const [first] = await Promise.all([
      once(socket, 'data'),
      (async () => {
        for (let count = 0; count < 12 && socket.writable; count += 1)
          await new Promise((resolve) => socket.write(chunk, resolve));
      })(),
    ]);
    expect(String(first)).toMatch(/^HTTP\/1.1 413 /);
    expect(await post(intake, ONE)).toEqual([202, '']);
  });

  it.each([
    ['GET', '/v1/events', 405],
    ['POST', '/healthz', 405],
    ['POST', '/v1/event', 404],
    ['GET', '/', 404],
    ['GET', '/healthz', 200],
    ['GET', '/healthz?x', 200],
    ['POST', '/readyz', 405],
    ['GET', '/readyz', 200],
  ])('is the only one that takes something: %s %s is %i', async (method, path, status) => {
    await using intake = await serveIntake();
    const headers = { authorization: `Bearer ${tokenOf('wec/a')}` };
    const body = method === 'POST' ? { body: ONE } : {};
    const response = await fetch(intake.url + path, { method, headers, ...body });
    expect(response.status).toBe(status);
    expect(intake.taken).toEqual([]);
  });
});

describe('an intake that is starting', () => {
  it('is alive, and is ready once it takes messages', async () => {
    let isReady = false;
    await using intake = await serveIntake({ isReady: () => isReady });
    const status = async (path: string): Promise<number> =>
      (await fetch(`${intake.url}${path}`)).status;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
    isReady = true;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
  });
});

describe('a queue that fails', () => {
  it('is reported to the sender, which retries', async () => {
    let fault: Error | undefined = new QueueUnavailableError('disk full');
    await using intake = await serveIntake({
      take: async () => {
        if (fault !== undefined) throw fault;
      },
    });
    expect(await post(intake, ONE)).toEqual([503, `${QUEUE_UNAVAILABLE}\n`]);
    expect(intake.errors).toEqual([]);
    fault = new Error('secret of the machine');
    expect(await post(intake, ONE)).toEqual([500, `${INTERNAL_ERROR}\n`]);
    expect(intake.errors).toEqual([fault]);
    fault = undefined;
    expect((await post(intake, ONE))[0]).toBe(202);
  });
});

describe('senders that dawdle', () => {
  it.each([
    ['the head', 'POST /v1/events HTTP/1.1\r\nHost: x\r\n', { headMs: 200 }],
    ['anything', '', { headMs: 200 }],
    ['the body', `${HEAD}Content-Length: 100\r\n\r\n{`, { headMs: 200, requestMs: 400 }],
  ])('are cut off before %s has come', async (_what, said, limits) => {
    await using intake = await serveIntake({ limits });
    const socket = await dial(intake, said);
    expect(await text(socket)).toMatch(/^(?:$|HTTP\/1.1 408 )/);
    expect(intake.errors).toEqual([]);
    expect(await post(intake, ONE)).toEqual([202, '']);
  });

  it('keep others out neither of their own source nor of another one for long', async () => {
    await using intake = await serveIntake({
      limits: {
        headMs: 200,
        requestMs: 1_000,
        requests: 4,
        requestsOfToken: 2,
        waitingOfToken: 0,
      },
    });
    const slow = `${HEAD}Content-Length: 100\r\n\r\n{`;
    const sockets = await Promise.all([dial(intake, slow), dial(intake, slow)]);
    const busy = async (): Promise<boolean> => (await post(intake, ONE))[0] === 503;
    await expect.poll(busy, { interval: 5 }).toBe(true);
    const refused = await fetch(`${intake.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf('wec/a')}` },
      body: ONE,
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    const other = { authorization: `Bearer ${tokenOf('wec/b')}` };
    expect((await post(intake, ONE, other))[0]).toBe(202);
    await expect.poll(busy, { timeout: 10_000 }).toBe(false);
    for (const socket of sockets) socket.destroy();
  });

  it('and go, leave room', async () => {
    await using intake = await serveIntake({
      limits: { requests: 1, requestsOfToken: 1, waitingOfToken: 0 },
    });
    const socket = await dial(intake, `${HEAD}Content-Length: 100\r\n\r\n{`);
    const status = async (): Promise<number> => (await post(intake, ONE))[0];
    await expect.poll(status, { interval: 5 }).toBe(503);
    socket.destroy();
    await expect.poll(status, { timeout: 10_000 }).toBe(202);
    expect(intake.errors).toEqual([]);
  });
});

describe('a stop', () => {
  it('lets what is under way end, answers it, and takes nothing more', async () => {
    const [stored, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using intake = await serveIntake({
      take: () => {
        begun.resolve();
        return stored.promise;
      },
      limits: { stopMs: 10_000 },
    });
    const answer = post(intake, ONE);
    await begun.promise;
    const ended = intake.stop();
    await expect(post(intake, ONE)).rejects.toThrow('fetch failed');
    stored.resolve();
    expect(await answer).toEqual([202, '']);
    await ended;
  });

  it('does not wait forever', async () => {
    const begun = Promise.withResolvers<void>();
    await using intake = await serveIntake({
      take: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
      limits: { stopMs: 50 },
    });
    const answer = post(intake, ONE).catch(() => 'cut off');
    await begun.promise;
    await intake.stop();
    expect(await answer).toBe('cut off');
  });
});
