import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noAnswer } from '#shared/adapters/http/messages.ts';
import {
  answersWith,
  asksForPause,
  localReceiver,
  redirects,
} from '#shared/adapters/webhooks/messages.ts';
import { createWebhook } from '#shared/adapters/webhooks/webhook.ts';
import {
  ReceiverFailedError,
  ReceiverRefusedError,
  ReceiverUnavailableError,
} from '#shared/errors.ts';
import { type EventReceiver, LONGEST_PAUSE_SECONDS } from '#shared/ports/event-receiver.ts';

const [OLD, NEW] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
  string,
  string,
];
const EVENT = { id: 'msg-1', type: 't', data: { text: 'Größe ✓' } };
const NOW = Date.UTC(2026, 0, 1, 0, 0, 0, 900);

interface Got {
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let got: Got[];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
let server: ReturnType<typeof createServer>;
let url: string;

beforeEach(async () => {
  got = [];
  answer = (response) => void response.writeHead(204).end();
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    got.push({ method, headers, body: Buffer.concat(chunks).toString() });
    answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function webhook(options: Partial<Parameters<typeof createWebhook>[0]> = {}): EventReceiver {
  return createWebhook({ name: 'chat', url, secrets: [NEW], clock: () => NOW, ...options });
}

function failure(options: Parameters<typeof webhook>[0] = {}): Promise<unknown> {
  return webhook(options)
    .deliver(EVENT)
    .then(
      () => 'accepted',
      (error: unknown) => error,
    );
}

describe('an event', () => {
  it('is a signed POST of a structured CloudEvent', async () => {
    await webhook().deliver(EVENT);
    const [request] = got;
    expect(request?.method).toBe('POST');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': 'msg-1',
      'webhook-timestamp': '1767225600',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual(EVENT);
    const key = Buffer.from(NEW.slice('whsec_'.length), 'base64');
    const signed = `msg-1.1767225600.${request?.body}`;
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(request?.headers['webhook-signature']).toBe(`v1,${signature}`);
  });

  it('has a signature of each secret, so that a receiver may know either', async () => {
    await webhook({ secrets: [OLD, NEW], clock: Date.now }).deliver(EVENT);
    const { headers, body } = got[0] as Got;
    const text = (name: string): string => String(headers[name]);
    const signed = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, text(name)]),
    );
    for (const secret of [OLD, NEW])
      expect(new Webhook(secret).verify(body, signed)).toEqual(EVENT);
  });

  it.each([200, 202, 204])('is accepted with %i', async (status) => {
    answer = (response) => void response.writeHead(status).end();
    expect(await failure()).toBe('accepted');
  });

  it.each([400, 401, 404, 410, 422])('is refused with %i', async (status) => {
    answer = (response) => void response.writeHead(status).end();
    const error = await failure();
    expect(error).toBeInstanceOf(ReceiverRefusedError);
    expect(error).toMatchObject({
      isGone: status === 410,
      message: expect.stringContaining(`receiver chat: ${answersWith(status)}: `),
    });
  });

  it.each([408, 429, 500, 502, 503])('alone is tried again after %i', async (status) => {
    answer = (response) => void response.writeHead(status).end();
    const error = await failure();
    expect(error).toBeInstanceOf(ReceiverFailedError);
    expect(error).toMatchObject({ retryable: true });
  });

  it.each([
    [429, '30', 30],
    [503, '0', 0],
    [503, ' 120 ', 120],
    [503, 'Thu, 01 Jan 2026 00:01:00 GMT', 60],
    [503, 'Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ])('waits with all others after %i with Retry-After: %s', async (status, value, seconds) => {
    answer = (response) => void response.writeHead(status, { 'retry-after': value }).end();
    const error = await failure();
    expect(error).toBeInstanceOf(ReceiverUnavailableError);
    expect(error).toMatchObject({ retryAfterSeconds: seconds });
    expect(String(error)).toContain(asksForPause(status, seconds, LONGEST_PAUSE_SECONDS));
  });

  it('says of an absurd pause that it is too long', async () => {
    answer = (response) =>
      void response.writeHead(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }).end();
    expect(String(await failure())).toContain(
      asksForPause(503, Number.POSITIVE_INFINITY, LONGEST_PAUSE_SECONDS),
    );
  });

  it.each([
    [500, '30'],
    [408, '30'],
    [503, 'soon'],
    [429, '-1'],
    [429, ''],
    [503, 'Thu, 99 Jan 2026 00:00:00 GMT'],
  ])('does not wait with others after %i with Retry-After: "%s"', async (status, value) => {
    answer = (response) => void response.writeHead(status, { 'retry-after': value }).end();
    expect(await failure()).toBeInstanceOf(ReceiverFailedError);
  });

  it('of a webhook that is gone shows what to do', async () => {
    answer = (response) => void response.writeHead(410).end();
    expect(String(await failure())).toContain(
      'the webhook is disabled until Starfold starts again',
    );
  });

  it('does not follow a redirect', async () => {
    answer = (response) => void response.writeHead(307, { location: url }).end();
    const error = await failure();
    expect(error).toBeInstanceOf(ReceiverFailedError);
    expect(String(error)).toContain(redirects(307));
    expect(got).toHaveLength(1);
  });
});

describe('a receiver', () => {
  it('that says 2xx and then breaks off has accepted the event', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('x', () => response.destroy());
    };
    expect(await failure()).toBe('accepted');
  });

  it('that answers without end is not read', async () => {
    let isOpen = true;
    const closed = Promise.withResolvers<void>();
    answer = (response) => {
      response.on('close', () => {
        isOpen = false;
        closed.resolve();
      });
      response.writeHead(200);
      const more = (): void => {
        if (isOpen) response.write('x'.repeat(64 * 1024), () => setImmediate(more));
      };
      more();
    };
    expect(await failure()).toBe('accepted');
    await closed.promise;
    expect(isOpen).toBe(false);
  });

  it('that closes the connection without an answer is tried again', async () => {
    answer = (_response, request) => void request.socket.destroy();
    expect(await failure()).toBeInstanceOf(ReceiverUnavailableError);
  });

  it('that does not answer in time is tried again', async () => {
    answer = () => undefined;
    const error = await failure({ timeoutMs: 20 });
    expect(error).toBeInstanceOf(ReceiverUnavailableError);
    expect(String(error)).toContain(noAnswer(0.02));
  });

  it('that does not speak HTTP is tried again', async () => {
    answer = (_response, request) => void request.socket.end('hello\r\n\r\n');
    expect(await failure()).toBeInstanceOf(ReceiverUnavailableError);
  });

  it('that is down is tried again', async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    const error = await failure();
    expect(error).toBeInstanceOf(ReceiverUnavailableError);
    expect(String(error)).toContain('ECONNREFUSED');
  });

  it('with a certificate that nobody knows is tried again', async () => {
    expect(await failure({ url: url.replace('http:', 'https:') })).toBeInstanceOf(
      ReceiverUnavailableError,
    );
    expect(got).toEqual([]);
  });
});

describe('a receiver elsewhere', () => {
  const secrets = [NEW];
  const elsewhere = (at: string) =>
    createWebhook({ name: 'chat', url: at, secrets, clock: () => NOW, onlyRemote: true });

  it.each([
    ['an address of this machine', () => url, localReceiver('127.0.0.1', '127.0.0.1', 'loopback')],
    [
      'a name that leads to this machine',
      () => url.replace('127.0.0.1', 'localhost'),
      'a loopback address, to which no events are sent',
    ],
    [
      'an IPv6 address of this machine',
      () => 'http://[::1]:1/',
      localReceiver('::1', '::1', 'loopback'),
    ],
    [
      'the address of metadata',
      () => 'http://169.254.169.254/latest',
      localReceiver('169.254.169.254', '169.254.169.254', 'linkLocal'),
    ],
    [
      'that address as a number',
      () => 'https://2852039166/',
      localReceiver('169.254.169.254', '169.254.169.254', 'linkLocal'),
    ],
  ])('is not at %s: no connection is made', async (_what, at, fault) => {
    const delivery = elsewhere(at()).deliver(EVENT);
    await expect(delivery).rejects.toThrow(ReceiverUnavailableError);
    await expect(delivery).rejects.toThrow(fault);
    expect(got).toEqual([]);
  });
});
