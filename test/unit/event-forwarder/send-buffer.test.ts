import { beforeEach, describe, expect, it } from 'vitest';
import { runBatcher } from '#functions/event-forwarder/batcher.ts';
import { SendBuffer } from '#functions/event-forwarder/send-buffer.ts';
import { SentDigests, type Statement } from '#functions/event-forwarder/sent-digests.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const HOUR_MS = 60 * 60_000;

let time: VirtualTime;
let queue: SentMessages;
let sendBuffer: SendBuffer;

beforeEach(() => {
  time = new VirtualTime();
  queue = new SentMessages();
  sendBuffer = new SendBuffer({ epoch: 1, clock: time.clock });
});

function send(windowMs: number): Promise<void> {
  const ignore = (): void => undefined;
  const deps = {
    queue,
    group: 'wec/a',
    sleep: time.sleep,
    random: () => 0.5,
    clock: time.clock,
    windowMs,
    isLeading: () => true,
    onTooLarge: ignore,
    onFailure: ignore,
    onSent: ignore,
  };
  return runBatcher(deps, sendBuffer, new AbortController().signal);
}

function digestsOf(name: string): SentDigests {
  return new SentDigests(sendBuffer, { type: 'wds', name });
}

function statement(name: string, n?: number | string): Statement {
  const subject = { group: 'apps', resource: 'deployments', namespace: 'default', name };
  return { type: 'wds-object', subject, ...(n === undefined ? {} : { object: { n } }) };
}

function upsert(of: SentDigests, name: string, n = 0): void {
  of.upsert(name, statement(name, n), { compared: n, again: false });
}

function brief({ source, content }: ForwarderEvent): string {
  if (content.type !== 'wds-object') return `${source.name} ${content.type}`;
  return `${source.name} ${content.subject.name}${content.object === undefined ? '-' : ''}`;
}

describe('while nothing can be sent', () => {
  it('an object that came and went leaves nothing behind', () => {
    const wds = digestsOf('wds1');
    upsert(wds, 'a');
    upsert(wds, 'a', 1);
    wds.remove('a', statement('a'));
    expect(sendBuffer.size).toBe(0);
    expect(wds.size).toBe(0);
    upsert(wds, 'a');
    expect(sendBuffer.size).toBe(1);
  });

  it.each([
    ['was told of before', 0],
    ['is just being told of', 1000],
  ])('an object that %s and disappears is reported as gone', async (_case, sendMs) => {
    const sent = send(10);
    queue.mode = sendMs === 0 ? 'accept' : 'late';
    const wds = digestsOf('wds1');
    upsert(wds, 'a');
    await time.advance(100);
    wds.remove('a', statement('a'));
    upsert(wds, 'a', 1);
    wds.remove('a', statement('a'));
    expect(sendBuffer.size).toBe(1);
    queue.mode = 'accept';
    queue.release();
    sendBuffer.close();
    await time.advance(sendMs);
    await sent;
    expect(queue.events().map(brief)).toEqual(['wds1 a', 'wds1 a-']);
  });

  it('memory is bounded by the objects that exist or were reported, however long it lasts', async () => {
    const wds = digestsOf('wds1');
    upsert(wds, 'told');
    void send(10);
    await time.advance(1000);
    queue.mode = 'lost';
    let most = 0;
    for (let second = 0; second < HOUR_MS / 1000; second += 1) {
      // A Job every second, of which ten stand at any time, and a deployment that never rests.
      upsert(wds, `job-${second}`);
      upsert(wds, 'told', second);
      wds.remove(`job-${second - 10}`, statement(`job-${second - 10}`));
      sendBuffer.putHeartbeat(wds.source);
      wds.complete(sendBuffer.version);
      await time.advance(1000);
      most = Math.max(most, sendBuffer.size);
    }
    // Ten Jobs, one that comes before another goes, and what is in the send under way stands in no place.
    expect(most).toBeLessThanOrEqual(10 + 1 + 1 + 2);
    queue.mode = 'accept';
    await time.advance(60_000);
    expect(sendBuffer.size).toBe(0);
    sendBuffer.close();
  });
});

describe('the ends of snapshots that are dropped', () => {
  it('are not sent, whatever else waits is', async () => {
    const one = digestsOf('wds1');
    const other = digestsOf('wds2');
    for (const wds of [one, other]) {
      upsert(wds, 'a');
      wds.complete({ epoch: 1, sequence: 0 });
    }
    sendBuffer.putHeartbeat(one.source);
    sendBuffer.dropSnapshots();
    upsert(one, 'b');
    one.complete(sendBuffer.version);
    const sent = send(10);
    sendBuffer.close();
    await time.advance(1000);
    await sent;
    const events = queue.events().map(brief);
    expect(events.sort()).toEqual([
      'wds1 a',
      'wds1 b',
      'wds1 heartbeat',
      'wds1 snapshot',
      'wds2 a',
    ]);
  });
});

describe('of objects without a status', () => {
  function configMap(of: SentDigests, name: string, n: string | undefined): void {
    const subject = { group: '', resource: 'configmaps', namespace: 'default', name };
    const said: Statement = { type: 'wds-object', subject, ...(n && { object: { n } }) };
    if (n === undefined) of.remove(`configmaps ${name}`, said);
    else of.upsert(`configmaps ${name}`, said, { compared: n, again: false });
  }

  it('events are sent after those of others, and before the end of the snapshot', async () => {
    const wds = digestsOf('wds1');
    for (let index = 0; index < 3; index += 1) configMap(wds, `c${index}`, 'x');
    upsert(wds, 'web');
    wds.complete({ epoch: 1, sequence: 0 });
    sendBuffer.putHeartbeat(wds.source);
    upsert(wds, 'after');
    configMap(wds, 'gone', 'x');
    configMap(wds, 'gone', undefined);
    const sent = send(10);
    sendBuffer.close();
    await time.advance(1000);
    await sent;
    expect(queue.events().map(brief)).toEqual([
      ...['wds1 web', 'wds1 c0', 'wds1 c1', 'wds1 c2'],
      ...['wds1 snapshot', 'wds1 heartbeat', 'wds1 after'],
    ]);
  });

  it('some events are in each request, however many others there are', () => {
    const wds = digestsOf('wds1');
    for (let index = 0; index < 30; index += 1) {
      // Two of these do not fit into one body.
      const large = statement(`d${index}`, 'y'.repeat(60_000));
      wds.upsert(`d${index}`, large, { compared: index, again: true });
    }
    configMap(wds, 'c', 'x');
    const types = sendBuffer.take(10).map(({ events }) => events.map(({ key }) => key).join());
    expect(types).toHaveLength(10);
    expect(types.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `d${index}`));
    expect(types[9]).toBe('configmaps c');
    sendBuffer.accept();
    expect(sendBuffer.size).toBe(21);
  });
});

describe('of many sources', () => {
  it('each end of a snapshot is sent after what stood in its source, and delays the others by one send at most', async () => {
    const sent = send(10);
    const sources = Array.from({ length: 1000 }, (_, index) => digestsOf(`wds${index}`));
    for (const source of sources) for (const name of ['a', 'b']) upsert(source, name);
    for (const source of sources) source.complete({ epoch: 1, sequence: 0 });
    sendBuffer.close();
    await time.advance(60_000);
    await sent;
    const events = queue.events().map(brief);
    for (const { source } of sources) {
      const own = events.filter((text) => text.startsWith(`${source.name} `));
      expect(own).toEqual([`${source.name} a`, `${source.name} b`, `${source.name} snapshot`]);
    }
    expect(queue.sends.length).toBeLessThan(20);
  });

  it('names of sources that begin alike are distinguished', async () => {
    const sent = send(10);
    const [one, other] = [digestsOf('wds'), digestsOf('wds1')];
    upsert(one, 'a');
    upsert(other, 'a');
    one.remove('a', statement('a'));
    other.complete({ epoch: 1, sequence: 0 });
    sendBuffer.close();
    await time.advance(0);
    await sent;
    expect(queue.events().map(brief)).toEqual(['wds1 a', 'wds1 snapshot']);
  });
});

describe('of a WDS, while a user changes one object again and again', () => {
  function control(resource: string, n?: number): Statement {
    const subject = { group: 'control.kubestellar.io', resource, namespace: '', name: 'x' };
    return { type: 'wds-object', subject, ...(n === undefined ? {} : { object: { n } }) };
  }

  /** The bodies of each half second, of the objects that `change` changes every 25 ms. */
  async function halves(change: (round: number) => void, seconds = 2): Promise<string[]> {
    const texts: string[] = [];
    for (let round = 0; round < 40 * seconds; round += 1) {
      await time.advance(25);
      change(round);
      await time.settle();
      if (round % 20 !== 19) continue;
      texts.push(queue.events().map(brief).join());
      queue.bodies.length = 0;
    }
    return texts;
  }

  it.each(['bindings', 'bindingpolicies', 'statuscollectors'])(
    'an event of one of the %s is sent at once, one second and three seconds later, and then every four seconds; the newest in the end',
    async (resource) => {
      void send(0);
      const wds = digestsOf('wds1');
      const put = (n: number) =>
        wds.upsert(resource, control(resource, n), { compared: n, again: false });
      const sent = await halves(put, 16);
      const when = sent.flatMap((text, half) => (text === '' ? [] : [half / 2]));
      expect(when).toEqual([0, 1, 3, 7, 11, 15]);
      await time.advance(4_000);
      const [{ content } = { content: undefined }] = queue.events();
      expect(content).toMatchObject({ object: { n: 639 } });
      expect(sendBuffer.size).toBe(0);
      sendBuffer.close();
    },
  );

  it('an object that did not change while it rested rests for one second again', async () => {
    void send(0);
    const wds = digestsOf('wds1');
    const put = (n: number) =>
      wds.upsert('bindings', control('bindings', n), { compared: n, again: false });
    await halves(put, 8);
    await time.advance(8_000);
    queue.bodies.length = 0;
    put(1_000);
    await time.advance(10);
    put(1_001);
    await time.advance(989);
    expect(queue.events()).toHaveLength(1);
    await time.advance(1);
    expect(queue.events()).toHaveLength(2);
    sendBuffer.close();
  });

  it.each(['combinedstatuses', 'deployments'])(
    'each change of one of the %s is sent at once',
    async (resource) => {
      void send(0);
      const wds = digestsOf('wds1');
      const put = (n: number) =>
        wds.upsert(resource, control(resource, n), { compared: n, again: false });
      const sent = await halves(put);
      // Only the first event says that the object has come.
      expect(sent.slice(2)).toEqual([
        Array(20).fill('wds1 x').join(),
        Array(20).fill('wds1 x').join(),
      ]);
      sendBuffer.close();
    },
  );

  it('an object that comes and goes is reported as it is in the end, and not each time', async () => {
    void send(0);
    const wds = digestsOf('wds1');
    const turn = (round: number) =>
      round % 2 === 0 ? upsert(wds, 'a', round) : wds.remove('a', statement('a'));
    expect(await halves(turn)).toEqual(['wds1 a', '', 'wds1 a-', '']);
    expect(sendBuffer.size).toBe(0);
    sendBuffer.close();
  });

  it('events of other objects do not wait for it', async () => {
    void send(0);
    const wds = digestsOf('wds1');
    const sent = await halves((n) => {
      wds.upsert('bindings', control('bindings', n), { compared: n, again: false });
      if (n % 20 === 10) upsert(wds, `d${n}`);
    });
    expect(sent).toEqual(['wds1 x,wds1 d10', 'wds1 d30', 'wds1 x,wds1 d50', 'wds1 d70']);
    sendBuffer.close();
  });

  it('the end of a snapshot does not wait for it', async () => {
    void send(0);
    const wds = digestsOf('wds1');
    const put = (n: number) =>
      wds.upsert('bindings', control('bindings', n), { compared: n, again: false });
    put(0);
    await time.advance(10);
    put(1);
    wds.complete({ epoch: 1, sequence: 0 });
    await time.advance(0);
    expect(queue.events().map(brief)).toEqual(['wds1 x', 'wds1 x', 'wds1 snapshot']);
    // The event before the end of the snapshot begins a rest of its own: the second one.
    queue.bodies.length = 0;
    put(2);
    await time.advance(1_999);
    expect(queue.events()).toEqual([]);
    await time.advance(1);
    expect(queue.events().map(brief)).toEqual(['wds1 x']);
    sendBuffer.close();
  });

  it('no rest is longer because the clock was set back', async () => {
    let offset = 0;
    sendBuffer = new SendBuffer({ epoch: 1, clock: () => time.clock() - offset });
    void send(0);
    const wds = digestsOf('wds1');
    const put = (n: number) =>
      wds.upsert('bindings', control('bindings', n), { compared: n, again: false });
    await time.advance(HOUR_MS);
    put(0);
    await time.advance(10);
    offset = HOUR_MS;
    put(1);
    await time.advance(0);
    expect(queue.events().map(brief)).toEqual(['wds1 x', 'wds1 x']);
    sendBuffer.close();
  });

  it('nothing rests after the send buffer is closed', async () => {
    const sent = send(0);
    const wds = digestsOf('wds1');
    wds.upsert('bindings', control('bindings', 0), { compared: 0, again: false });
    await time.advance(10);
    wds.upsert('bindings', control('bindings', 1), { compared: 1, again: false });
    await time.advance(10);
    expect(queue.events()).toHaveLength(1);
    sendBuffer.close();
    await time.advance(0);
    await sent;
    expect(queue.events()).toHaveLength(2);
  });
});

describe('a send buffer that is closed', () => {
  it.each([0, 10, HOUR_MS])(
    'is sent at once, whatever the window (%i ms), and then sending ends',
    async (windowMs) => {
      const sent = send(windowMs);
      const wds = digestsOf('wds1');
      upsert(wds, 'a');
      await time.settle();
      wds.complete({ epoch: 1, sequence: 0 });
      upsert(wds, 'b');
      sendBuffer.close();
      await time.advance(0);
      await sent;
      expect(queue.events().map(brief)).toEqual(['wds1 a', 'wds1 snapshot', 'wds1 b']);
    },
  );

  it('ends sending also when there is nothing to send', async () => {
    const sent = send(10);
    await time.settle();
    sendBuffer.close();
    await sent;
    expect(queue.sends).toEqual([]);
  });
});
