import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import {
  largeRequest,
  NO_TOKEN,
  NO_URL,
  noAnswer,
  OTHER_SERVER,
  RETRIED,
  redirected,
  unknownToken,
} from '#shared/adapters/http/messages.ts';
import { MessageTooLargeError, QueueUnavailableError } from '#shared/errors.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import { startReceiver } from '#test/fakes/http-receiver.ts';

const TOKEN = 'first-token-'.padEnd(32, 'x');

let folder: string;
let tokenFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-http-'));
  tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

function messages(count: number, body = (index: number) => `message ${index}`) {
  return Array.from({ length: count }, (_one, index) => ({ body: body(index) }));
}

/** The message of the QueueUnavailableError that sending ends with. */
async function failure(sending: Promise<void>): Promise<string> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(QueueUnavailableError);
  const text = error instanceof Error ? error.message : '';
  expect(text).not.toContain(TOKEN);
  return text;
}

describe('events by HTTP', () => {
  it('go in order, ten in a request, compressed, with the token, over one connection', async () => {
    await using receiver = await startReceiver();
    const queue = createHttpEventQueue({ url: `${receiver.url}/base/`, tokenFile });
    await queue.send(messages(23));
    expect(receiver.bodies()).toEqual(messages(23).map(({ body }) => body));
    const { requests } = receiver;
    expect(requests.map(({ text }) => JSON.parse(text).messages.length)).toEqual([10, 10, 3]);
    expect(new Set(requests.map(({ connection }) => connection))).toEqual(new Set([0]));
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/base/v1/events',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-encoding': 'gzip' },
    });
    await queue.send([]);
    expect(requests).toHaveLength(3);
  });

  it('are stored in a state that the answer names; one that names none says that it is not known', async () => {
    const states: readonly (string | undefined)[] = ['first', 'second', undefined];
    await using receiver = await startReceiver((response, number) => {
      const state = states[number];
      response.writeHead(202, state === undefined ? {} : { 'Starfold-State': state }).end();
    });
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    expect(queue.receiverState?.()).toBeUndefined();
    for (const state of states) {
      await queue.send(messages(1));
      expect(queue.receiverState?.()).toBe(state);
    }
  });

  it('that are large go in fewer to a request, one of the largest by itself', async () => {
    await using receiver = await startReceiver();
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    // A control character takes six bytes in JSON.
    const body = (index: number): string =>
      (index === 4 ? '\u0001' : String(index)).repeat(MAX_MESSAGE_BYTES);
    await queue.send(messages(6, body));
    const counts = receiver.requests.map(({ text }) => JSON.parse(text).messages.length);
    expect(counts).toEqual([3, 1, 1, 1]);
    expect(receiver.bodies()).toEqual(messages(6, body).map((message) => message.body));
  });

  it('that no message can hold are rejected before anything is sent', async () => {
    await using receiver = await startReceiver();
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    const tooLarge = [{ body: 'fits' }, { body: 'é'.repeat(MAX_MESSAGE_BYTES / 2 + 1) }];
    await expect(queue.send(tooLarge)).rejects.toThrow(MessageTooLargeError);
    await expect(queue.send([{ body: '' }])).rejects.toThrow(RangeError);
    expect(receiver.requests).toEqual([]);
  });

  it('are sent with the present token of the file', async () => {
    await using receiver = await startReceiver();
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    await queue.send(messages(1));
    const next = 'other-token-'.padEnd(32, 'y');
    // As a Secret of Kubernetes changes: a different file replaces the old one.
    writeFileSync(`${tokenFile}.new`, next);
    renameSync(`${tokenFile}.new`, tokenFile);
    await queue.send(messages(1));
    const sent = receiver.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Bearer ${TOKEN}`, `Bearer ${next}`]);
  });

  it.each([
    [401, () => unknownToken(tokenFile)],
    [413, (bytes: number) => largeRequest(bytes)],
    [429, () => RETRIED],
    [500, () => RETRIED],
    [503, () => RETRIED],
    [308, () => redirected('https://elsewhere/')],
    [404, () => OTHER_SERVER],
    [200, () => OTHER_SERVER],
  ])(
    'that are answered with %i are not sent, and the error has the remedy',
    async (status, remedy) => {
      await using receiver = await startReceiver((response) => {
        response.writeHead(status, { location: 'https://elsewhere/' }).end('busy\n there');
      });
      const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
      const text = await failure(queue.send(messages(11)));
      const [sent] = receiver.requests;
      const bytes = Number(sent?.headers['content-length']);
      expect(text).toContain(
        `POST ${receiver.url}/v1/events: ${status} (busy there): ${remedy(bytes)}`,
      );
      // The requests after one that failed are not sent, because they would overtake it.
      expect(receiver.requests).toHaveLength(1);
    },
  );

  it('that are answered at length do not fill the memory or the log', async () => {
    await using receiver = await startReceiver((response) => {
      response.writeHead(500).end('long '.repeat(100_000));
    });
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    expect((await failure(queue.send(messages(1)))).length).toBeLessThan(600);
  });

  it.each([
    ['there is none', undefined, 'ENOENT'],
    ['there is nothing in it', '\n', NO_TOKEN],
    ['it is too short', 'short', NO_TOKEN],
    ['it has two lines', `${TOKEN}\n${TOKEN}`, NO_TOKEN],
  ])('are not sent without a token: %s', async (_fault, content, says) => {
    await using receiver = await startReceiver();
    rmSync(tokenFile);
    if (content !== undefined) writeFileSync(tokenFile, content);
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    expect(await failure(queue.send(messages(1)))).toContain(`token file ${tokenFile}: ${says}`);
    expect(receiver.requests).toEqual([]);
    writeFileSync(tokenFile, TOKEN);
    await queue.send(messages(1));
    expect(receiver.requests).toHaveLength(1);
  });

  it('find nobody: the address and the reason are named', async () => {
    const receiver = await startReceiver();
    await receiver[Symbol.asyncDispose]();
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    expect(await failure(queue.send(messages(1)))).toMatch(/POST http:\S+: ECONNREFUSED/);
  });

  it('are sent again by the caller when the connection breaks in the middle of an answer', async () => {
    await using receiver = await startReceiver((response, number) => {
      if (number > 0) response.writeHead(202).end();
      else {
        response.writeHead(202, { 'content-length': 10 }).write('12345');
        setImmediate(() => response.destroy());
      }
    });
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    expect(await failure(queue.send(messages(1)))).toMatch(/POST http:/);
    await queue.send(messages(1));
    expect(receiver.bodies()).toEqual(['message 0', 'message 0']);
  });

  it('go out once more, on a new connection, if a kept one turns out to be closed', async () => {
    await using receiver = await startReceiver((response, number) => {
      if (number === 1) response.socket?.resetAndDestroy();
      else response.writeHead(202).end();
    });
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    await queue.send(messages(1));
    await queue.send(messages(1));
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([0, 0, 1]);
  });

  it('fail if a new connection is closed before the answer', async () => {
    await using receiver = await startReceiver((response) => response.socket?.resetAndDestroy());
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    expect(await failure(queue.send(messages(1)))).toMatch(/POST http:/);
    expect(receiver.requests).toHaveLength(1);
  });

  it.each(['before the answer', 'in the middle of it'])(
    'do not wait forever for a receiver that falls silent %s',
    async (when) => {
      await using receiver = await startReceiver((response) => {
        if (when !== 'before the answer') response.writeHead(202).write('...');
      });
      const queue = createHttpEventQueue({ url: receiver.url, tokenFile, timeoutMs: 50 });
      expect(await failure(queue.send(messages(1)))).toContain(noAnswer(0.05));
    },
  );

  it('stop at an abort, with its reason, and are not begun after one', async () => {
    const stopping = new AbortController();
    const reason = new Error('the forwarder stops');
    await using receiver = await startReceiver(() => stopping.abort(reason));
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    for (let time = 0; time < 2; time += 1)
      await expect(queue.send(messages(11), stopping.signal)).rejects.toMatchObject({
        name: 'QueueUnavailableError',
        cause: reason,
      });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each(['ftp://host', 'host:8080', 'nonsense'])('have no place at %s', (url) => {
    expect(() => createHttpEventQueue({ url, tokenFile })).toThrow(new TypeError(NO_URL));
  });

  it.each(['https://forwarder:hunter2@host:8443', 'https://:hunter2@host', 'ftp://a:hunter2@host'])(
    'have no place if the URL has a password, which is not repeated',
    (url) => {
      const create = () => createHttpEventQueue({ url, tokenFile });
      expect(create).toThrow(TypeError);
      expect(create).not.toThrow(/hunter2/);
    },
  );

  it('do not show the password of a redirect in their error', async () => {
    await using receiver = await startReceiver((response) => {
      response.writeHead(302, { location: 'https://user:hunter2@elsewhere/v1' }).end();
    });
    const queue = createHttpEventQueue({ url: receiver.url, tokenFile });
    const said = await failure(queue.send(messages(1)));
    expect(said).toContain(redirected('https://elsewhere/v1'));
  });
});
