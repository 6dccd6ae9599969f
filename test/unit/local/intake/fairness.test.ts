import { once } from 'node:events';
import { connect, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Admission, type Slot, tooManyRequests } from '#local/intake/admission.ts';
import { Connections } from '#local/intake/connections.ts';
import { slowBody, TOO_MANY } from '#local/intake/messages.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { pairIn, post, type ServedIntake, serveIntake } from './served.ts';

const ONE = '{"messages":["x"]}';
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenOf('wec/a')}\r\n`;
const WHOLE = `${POST}Content-Length: ${ONE.length}\r\n\r\n${ONE}`;

async function dial({ port }: ServedIntake, said = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(said);
  return socket;
}

async function answered(socket: Socket): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data);
}

describe('the places for requests', () => {
  const LIMITS = {
    requests: 16,
    requestsOfToken: 4,
    waitingOfToken: 16,
    waitMs: 30_000,
    turnMs: 2_000,
  };
  const AT_ONCE = { ...LIMITS, waitingOfToken: 0 };
  const STAYS = new AbortController().signal;

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** All places that a token gets without waiting. */
  async function enterAll(admission: Admission, owner: string): Promise<readonly Slot[]> {
    const places: Slot[] = [];
    for (;;)
      try {
        places.push(await admission.enter(owner, STAYS));
      } catch {
        return places;
      }
  }

  it('leave one for a token that has none, however many others take all they can get', async () => {
    const admission = new Admission(AT_ONCE);
    const counts: number[] = [];
    for (const owner of ['a', 'b', 'c', 'd', 'e', 'a', 'honest'])
      counts.push((await enterAll(admission, owner)).length);
    expect(counts).toEqual([4, 4, 4, 2, 1, 0, 1]);
  });

  it('are all there again when everybody is done', async () => {
    const admission = new Admission({ ...AT_ONCE, requests: 4, requestsOfToken: 2 });
    for (let round = 0; round < 3; round += 1) {
      const places = [...(await enterAll(admission, 'a')), ...(await enterAll(admission, 'b'))];
      expect(places).toHaveLength(3);
      for (const place of places) place.leave();
    }
  });

  it('come to every token that waits in turn, whoever has more that wait', async () => {
    const admission = new Admission({ ...LIMITS, requests: 1, requestsOfToken: 1 });
    const served: string[] = [];
    const first = await admission.enter('first', STAYS);
    const waiting = ['a', 'a', 'a', 'b', 'a', 'c', 'b'].map(async (owner) => {
      const place = await admission.enter(owner, STAYS);
      served.push(owner);
      place.leave();
    });
    first.leave();
    await Promise.all(waiting);
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
  });

  it('are taken back from the token with the most, after its time, for one that has none', async () => {
    const admission = new Admission(LIMITS);
    const held: { readonly owner: string; readonly place: Slot }[] = [];
    for (const owner of [
      'a',
      'a',
      'a',
      'a',
      'b',
      'b',
      'b',
      'b',
      'c',
      'c',
      'c',
      'c',
      'd',
      'd',
      'e',
      'f',
    ])
      held.push({ owner, place: await admission.enter(owner, STAYS) });
    const lost: string[] = [];
    for (const { owner, place } of held)
      place.signal.addEventListener('abort', () => {
        lost.push(owner);
        place.leave();
      });
    const entering = admission.enter('honest', STAYS);
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs - 1);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await entering;
    expect(lost).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(LIMITS.waitMs);
    expect(lost).toEqual(['a']);
  });

  it('are not taken back once the request is being stored', async () => {
    const admission = new Admission({ ...LIMITS, requests: 1 });
    const place = await admission.enter('a', STAYS);
    place.keep();
    const entering = admission.enter('b', STAYS).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs * 2);
    expect(place.signal.aborted).toBe(false);
    place.leave();
    expect(await entering).toHaveProperty('leave');
  });

  it('are waited for no longer than is said, by no more than are said, and not by who has gone', async () => {
    const admission = new Admission({ ...LIMITS, requests: 1, waitingOfToken: 2 });
    const place = await admission.enter('a', STAYS);
    const left = new AbortController();
    const entering = [admission.enter('a', left.signal), admission.enter('a', STAYS)].map((one) =>
      one.catch((error: unknown) => error),
    );
    await expect(admission.enter('a', STAYS)).rejects.toThrow(TOO_MANY);
    left.abort();
    expect(await entering[0]).toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(LIMITS.waitMs);
    expect(await entering[1]).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    place.leave();
    expect(await admission.enter('a', STAYS)).toHaveProperty('leave');
  });
});

describe('a body', () => {
  it('that arrives too slowly is rejected long before the timeout of a request, and its place is free', async () => {
    const limits = { bodyMs: 100, bytesPerSecond: 1_000, requests: 1 };
    await using intake = await serveIntake({ limits });
    const socket = await dial(intake, `${POST}Content-Length: 100000\r\n\r\n`);
    const dripping = setInterval(() => socket.write(' '), 20);
    const said = await answered(socket);
    clearInterval(dripping);
    expect(said).toMatch(/^HTTP\/1.1 408 /);
    expect(said).toContain(slowBody(1_000));
    expect(await post(intake, ONE)).toEqual([202, '']);
    expect(intake.errors).toEqual([]);
  });

  it('that comes fast enough may take its time', async () => {
    await using intake = await serveIntake({ limits: { bodyMs: 50, bytesPerSecond: 10 } });
    const body = `{"messages":["${'x'.repeat(10_000)}"]}`;
    const head = `${POST}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    const socket = await dial(intake, head + body.slice(0, 9_000));
    await new Promise((resolve) => setTimeout(resolve, 300));
    socket.write(body.slice(9_000));
    expect(await text(socket)).toMatch(/^HTTP\/1.1 202 /);
  });
});

describe('a connection', () => {
  it('without a token is closed soon after its answer, one with a token is kept for the next request', async () => {
    await using intake = await serveIntake({ limits: { strangerIdleMs: 100, headMs: 2_000 } });
    const friend = await dial(intake, WHOLE);
    expect(await answered(friend)).toMatch(/^HTTP\/1.1 202 .*keep-alive: timeout=150\r\n/s);
    const unknown = await dial(intake, WHOLE.replace(tokenOf('wec/a'), tokenOf('wec/x')));
    const stranger = await dial(intake, HEALTH);
    expect(await text(unknown)).toMatch(/^HTTP\/1.1 401 /);
    expect(await text(stranger)).toMatch(/^HTTP\/1.1 200 /);
    friend.write(WHOLE);
    expect(await answered(friend)).toMatch(/^HTTP\/1.1 202 /);
    friend.destroy();
  });

  it.each([
    ['a wrong token', POST.replace(tokenOf('wec/a'), tokenOf('wec/x')), 401],
    ['another path', 'POST /v1/event HTTP/1.1\r\nHost: x\r\n', 404],
    ['a question that has a body', 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 200],
  ])(
    'with %s is closed after the answer, while who sends continues',
    async (_what, head, status) => {
      await using intake = await serveIntake({ limits: { strangerRestMs: 50 } });
      const socket = await dial(intake, `${head}Content-Length: 99999999\r\n\r\n`);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const going = setInterval(() => socket.write('x'.repeat(1_000)), 5);
      try {
        const said = await answered(socket);
        expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} .*connection: close\r\n`, 's'));
        await closed;
      } finally {
        clearInterval(going);
      }
    },
  );

  it('without a token is not closed under who still sends the rest, so that the answer can be read', async () => {
    await using intake = await serveIntake({ limits: { strangerRestMs: 60_000 } });
    const socket = await dial(intake);
    const faults: unknown[] = [];
    socket.on('error', (error) => faults.push(error));
    const head = POST.replace(tokenOf('wec/a'), tokenOf('wec/x'));
    socket.write(`${head}Content-Length: 5000000\r\n\r\n`);
    expect(await answered(socket)).toMatch(/^HTTP\/1.1 401 /);
    const said = text(socket);
    socket.write('x'.repeat(5_000_000));
    expect(await said).toBe('');
    expect(faults).toEqual([]);
  });

  it('without a token has a few requests, however many are sent at once', async () => {
    await using intake = await serveIntake({ limits: { requestsOfStranger: 3 } });
    const socket = await dial(intake, HEALTH.repeat(1_000));
    socket.on('error', () => undefined);
    const said = await text(socket);
    expect(said.match(/HTTP\/1.1 200 /g)?.length ?? 0).toBeLessThanOrEqual(3);
    const other = await dial(intake, HEALTH);
    for (let request = 1; request < 3; request += 1) {
      expect(await answered(other)).toMatch(/^HTTP\/1.1 200 .*keep-alive/is);
      other.write(HEALTH);
    }
    expect(await answered(other)).toMatch(/^HTTP\/1.1 200 .*connection: close\r\n/s);
    other.destroy();
    const friend = await dial(intake, WHOLE.repeat(20));
    expect(await answered(friend)).toMatch(/^HTTP\/1.1 202 /);
    friend.destroy();
  });

  it('with a token ends if requests are sent long before their answers', async () => {
    const stored = Promise.withResolvers<void>();
    await using intake = await serveIntake({
      limits: { requestsOfConnection: 3 },
      take: () => stored.promise,
    });
    const few = await dial(intake, WHOLE.repeat(3));
    const many = await dial(intake, WHOLE.repeat(4));
    expect(await text(many)).toBe('');
    const answers = text(few);
    stored.resolve();
    few.end();
    expect((await answers).match(/HTTP\/1.1 202 /g)).toHaveLength(3);
  });

  it('has further requests of a token with too many wait, however many connections it has, and those of no other token', async () => {
    await using intake = await serveIntake({
      limits: { rateOfToken: { perSecond: 0.001, burst: 3 } },
    });
    const sockets = await Promise.all(Array.from({ length: 4 }, () => dial(intake)));
    const answers = sockets.map(() => '');
    for (const [index, socket] of sockets.entries())
      socket.on('data', (data) => {
        answers[index] += String(data);
      });
    for (const socket of sockets) socket.write(WHOLE);
    const answered = (): number => answers.filter((one) => one.startsWith('HTTP/1.1 202 ')).length;
    await vi.waitFor(() => expect(answered()).toBe(3));
    const authorization = `Bearer ${tokenOf('wec/b')}`;
    for (let request = 0; request < 3; request += 1)
      expect(await post(intake, ONE, { authorization })).toEqual([202, '']);
    expect(answered()).toBe(3);
    expect(intake.taken.filter((one) => one.startsWith('wec/a'))).toHaveLength(3);
    for (const socket of sockets) socket.destroy();
  });

  it('with a token ends if a request would wait for too long', async () => {
    const rateOfToken = { perSecond: 0.001, burst: 1 };
    await using intake = await serveIntake({ limits: { rateOfToken, waitMs: 10 } });
    const first = await dial(intake, WHOLE);
    expect(await answered(first)).toMatch(/^HTTP\/1.1 202 /);
    const second = await dial(intake, WHOLE);
    const said = await text(second);
    expect(said).toMatch(/^HTTP\/1.1 503 .*connection: close\r\n/is);
    expect(said).toContain(tooManyRequests().message);
    first.destroy();
  });

  it('with a token is kept while the body of a rejected request still arrives', async () => {
    await using intake = await serveIntake({
      limits: { requestsOfToken: 0, waitingOfToken: 0, strangerRestMs: 1 },
    });
    const socket = await dial(intake, `${POST}Content-Length: 100000\r\n\r\n`);
    expect(await answered(socket)).toMatch(/^HTTP\/1.1 503 .*connection: keep-alive\r\n/is);
    socket.write(`${'x'.repeat(100_000)}${HEALTH}`);
    expect(await answered(socket)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['2001:db8:0:1::5', '2001:db8:0:1:a:b:c:d', true],
    ['2001:db8::1:0:0:0:5', '2001:db8:0:1::6', true],
    ['2001:db8:0:1::5', '2001:db8:0:2::5', false],
    ['::1', '::2', true],
  ])('is counted with those of its network: %s and %s: %s', (one, other, isTogether) => {
    const server = new Server();
    new Connections({
      strangersOfAddress: 1,
      requestsOfStranger: 1,
      requestsOfConnection: 1,
      strangerIdleMs: 1,
      idleMs: 1,
    }).watch(server);
    const connect = (remoteAddress: string, remotePort: number): Socket => {
      const socket = Object.defineProperties(new Socket(), {
        remoteAddress: { value: remoteAddress },
        remotePort: { value: remotePort },
      });
      server.emit('connection', socket);
      return socket;
    };
    const [first, second] = [connect(one, 1), connect(other, 2)];
    expect([first.destroyed, second.destroyed]).toEqual([isTogether, false]);
  });

  const SCHEMES = [
    ['HTTP', async (intake: ServedIntake) => dial(intake)],
    [
      'HTTPS',
      async ({ port }: ServedIntake) => {
        const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
        socket.on('error', () => undefined);
        // Of one that is cut off nothing is answered, which is seen later.
        await once(socket, 'secureConnect').catch(() => undefined);
        return socket;
      },
    ],
  ] as const;

  it.each(SCHEMES)(
    'is one of a few of its address until a token is shown on it: %s',
    async (scheme, open) => {
      await using place = await serveIntake();
      const tls = scheme === 'HTTP' ? {} : { tls: pairIn(place.folder, selfSigned()) };
      await using intake = await serveIntake({ ...tls, limits: { strangersOfAddress: 2 } });
      const isAnswered = async (socket: Socket): Promise<boolean> => {
        if (socket.destroyed) return false;
        const said = Promise.race([answered(socket), once(socket, 'close').then(() => '')]);
        socket.write(HEALTH);
        return (await said.catch(() => '')).startsWith('HTTP/1.1 200 ');
      };
      const friend = await open(intake);
      friend.write(WHOLE);
      expect(await answered(friend)).toMatch(/^HTTP\/1.1 202 /);
      const strangers = [await open(intake), await open(intake)];
      expect(await Promise.all(strangers.map(isAnswered))).toEqual([true, true]);
      const newest = await open(intake);
      expect(await isAnswered(newest)).toBe(true);
      expect(await Promise.all([friend, ...strangers].map(isAnswered))).toEqual([
        true,
        false,
        true,
      ]);
      for (const socket of [friend, newest, ...strangers]) socket.destroy();
    },
  );
});
