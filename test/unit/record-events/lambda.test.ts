import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { managedCluster, notRegistered } from '#functions/record-events/messages.ts';
import { createSenderCheck, type SenderCheck } from '#functions/record-events/sender-check.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import type { EventContent, ForwarderEvent } from '#shared/core/event.ts';
import { QueueUnavailableError, StoreUnavailableError } from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { BODY_LIMITS } from '#shared/events/limits.ts';
import { type DeadLetter, parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { encodeRedriven } from '#shared/messages/redriven.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';
import { rowKey } from '#shared/state/keys.ts';
import { EVERY_WEC, registerRedriver, registerSender } from '#shared/state/senders.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { announceInventories, createWecInventories } from '#shared/state/wec-inventories.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const SUBJECT = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

const HAS_IT: EventContent = {
  type: 'wec-object',
  wds: 'wds1',
  subject: SUBJECT,
  first: false,
  returned: { uid: 'u', generation: 1, status: { phase: 'Good' } },
};

function encoded(wec: string, sequence = 1, content: EventContent = HAS_IT): string {
  const event: ForwarderEvent = {
    source: { type: 'wec', name: wec },
    version: { epoch: 1, sequence },
    time: '2026-01-01T00:00:00Z',
    content,
  };
  return encodeEvent(event);
}

function batchOf(...wecs: readonly string[]): string {
  return encodeBatch(wecs.map((wec) => encoded(wec)));
}

/** The role of each WEC's forwarder, and sessions of it. */
const FORWARDER = 'AROAFORWARDER:session';
const STRANGER = 'AROASTRANGER:session';
const OPERATOR = 'AIDAOPERATOR';
const SWEEP = 'AROASWEEP:sweep-stale';
const NOW = 1_000_000;

describe('record-events', () => {
  let now: number;
  let store: ItemStore;
  let dirty: SentMessages;
  let deadLetters: SentMessages;
  let output: ReturnType<typeof createObservedOutput>;
  let telemetry: MemoryTelemetry;
  let remainingMs: number;
  let costs: [group: string, bytes: number][];
  /** Of a process that goes on. If absent, each invocation has a new one. */
  let check: SenderCheck | undefined;
  beforeEach(async () => {
    check = undefined;
    costs = [];
    now = NOW;
    remainingMs = 30_000;
    store = createMemoryItemStore();
    dirty = new SentMessages();
    deadLetters = new SentMessages();
    output = createObservedOutput();
    telemetry = createMemoryTelemetry();
    for (const name of ['wec1', 'wec2', 'wec3'])
      await registerSender(store, { source: { type: 'wec', name }, principal: 'AROAFORWARDER' });
  });

  /** Runs the function on these bodies; the identifiers (m0, m1 ...) of the messages it could not handle. */
  async function run(
    bodies: readonly string[],
    over: ItemStore = store,
    senders: readonly string[] = [],
  ): Promise<readonly string[]> {
    const handler = createRecordEvents(
      {
        store: over,
        specs: createSpecStore(over),
        dirty,
        hints: new SentMessages(),
        deadLetters,
        senders: check ?? createSenderCheck({ store: over, clock: () => NOW, redrivers: [SWEEP] }),
        telemetry,
        clock: () => now,
        onCost: (group, bytes) => costs.push([group, bytes]),
      },
      output.observability,
    );
    const messages = bodies.map((body, index) => ({
      messageId: `m${index}`,
      receiptHandle: `r${index}`,
      body,
      group: `group${index}`,
      senderId: senders[index] ?? FORWARDER,
      receiveCount: 1,
      sentAt: 100 + index,
    }));
    const context = {
      ...localContext('record-events', 'r'),
      getRemainingTimeInMillis: () => remainingMs,
    };
    const answer = await handler(sqsEvent('events', messages), context);
    return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }

  async function recorded(): Promise<readonly string[]> {
    const { pk } = rowKey({ wds: 'wds1', ...SUBJECT }, '');
    const { items } = await store.query({ pk });
    return items.map(({ sk }) => sk.slice(sk.lastIndexOf('#') + 1)).sort();
  }

  function letters(): readonly (DeadLetter | undefined)[] {
    return deadLetters.bodies.map(parseDeadLetter);
  }

  it('records the events of a batch and notifies each subject once', async () => {
    expect(await run([encodeBatch([encoded('wec1')]), encodeBatch([encoded('wec2')])])).toEqual([]);
    expect(await recorded()).toEqual(['wec1', 'wec2']);
    expect(dirty.bodies.map(parseDirty)).toMatchObject([
      { wecs: ['wec1', 'wec2'], changedMs: 100 },
    ]);
    expect(deadLetters.bodies).toEqual([]);
    expect(telemetry.counts).toEqual({ EventsRecorded: 2, EventsCoalesced: 1 });
    const fields = { messages: 2, events: 2, sources: ['wec/wec1', 'wec/wec2'], sourceCount: 2 };
    expect(telemetry.lines).toEqual([{ level: 'info', message: 'events recorded', fields }]);
  });

  it('counts the events of one row that share its write', async () => {
    const gone: EventContent = { type: 'wec-object', wds: 'wds1', subject: SUBJECT, first: false };
    const events = [encoded('wec1', 1), encoded('wec1', 3), encoded('wec1', 2, gone)];
    expect(await run([encodeBatch(events)])).toEqual([]);
    expect(telemetry.counts).toEqual({ EventsRecorded: 3, EventsCoalesced: 2 });
  });

  it('says and counts nothing of a message without events', async () => {
    expect(await run(['[]'])).toEqual([]);
    expect(telemetry.counts).toEqual({});
    expect(telemetry.lines).toEqual([]);
  });

  it('sends a message with an event that cannot be read to the dead-letter queue with the reason, and records the rest', async () => {
    const bad = '{"specversion":"1.0","id":"x"}';
    const body = encodeBatch([encoded('wec1'), bad, encoded('wec1', 2)]);
    expect(await run([body])).toEqual([]);
    expect(await recorded()).toEqual(['wec1']);
    const reasons = [expect.stringMatching(/^event x: source: /)];
    const letter = { code: 'unreadable', reasons, senderId: FORWARDER };
    expect(letters()).toEqual([{ ...letter, body }]);
    expect(telemetry.counts).toMatchObject({ EventsRecorded: 2, RefusedEvents: 1 });
    expect(telemetry.lines[0]).toEqual({
      level: 'warn',
      message: 'message rejected',
      fields: { messageId: 'm0', ...letter },
    });
  });

  it('sends a body that is not a batch there unchanged', async () => {
    expect(await run(['[', batchOf('wec1')])).toEqual([]);
    expect(letters()).toMatchObject([{ code: 'unreadable', body: '[' }]);
    expect(await recorded()).toEqual(['wec1']);
  });

  it('names the first ten reasons, shortened, and gives the number of the others', async () => {
    const bad = JSON.stringify({ specversion: '1.0', id: 'x'.repeat(256) });
    expect(await run([encodeBatch(Array.from({ length: 12 }, () => bad))])).toEqual([]);
    const [letter] = letters();
    expect(letter?.reasons).toHaveLength(11);
    expect(letter?.reasons[0]).toMatch(/^event x{256}: source: must .{1,}\.\.\.$/);
    expect(letter?.reasons[10]).toBe('and 2 more');
    expect(telemetry.counts).toEqual({ RefusedEvents: 12 });
  });

  it('explains some of very many events that cannot be read, and counts all', async () => {
    const body = `[${'0,'.repeat(9_999)}0]`;
    expect(await run([body, batchOf('wec1')])).toEqual([]);
    expect(letters()[0]?.reasons).toHaveLength(11);
    expect(letters()[0]?.reasons[10]).toBe('and 9990 more');
    expect(telemetry.counts).toEqual({ RefusedEvents: 10_000, EventsRecorded: 1 });
    expect(await recorded()).toEqual(['wec1']);
  });

  it('rejects events that would exhaust it, and records those of others', async () => {
    const deep = encoded('wec2').replace('"Good"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const bombs = [`[${'0,'.repeat(3_000_000)}0]`, '['.repeat(500_000), `[${deep}]`];
    const bodies = bombs.map((text) => gzipSync(text).toString('base64'));
    expect(await run([...bodies, batchOf('wec1')])).toEqual([]);
    expect(letters()).toMatchObject([{ code: 'unreadable' }, { code: 'unreadable' }]);
    expect(await recorded()).toEqual(['wec1', 'wec2']);
  });

  describe('with messages that are large once they are inflated', () => {
    /** How many heartbeats were put together. */
    let portions: number[];
    let watched: ItemStore;
    beforeEach(() => {
      portions = [];
      watched = {
        ...store,
        put: (puts) => {
          const beats = puts.filter(({ item }) => item.pk === 'HEARTBEATS').length;
          if (beats > 0) portions.push(beats);
          return store.put(puts);
        },
      };
    });

    /** A heartbeat of the WEC with data that nobody wants: more than half of what a portion holds. */
    function large(wec: string): string {
      const beat = encoded(wec, 1, { type: 'heartbeat' });
      const object = `[${'0,'.repeat(190_000)}0]`;
      const blanks = ' '.repeat(5_000_000);
      const text = `[${beat.slice(0, -1)},"data":{"object":${object}}}]${blanks}`;
      return gzipSync(text).toString('base64');
    }

    const WECS = ['wec1', 'wec2', 'wec3', 'wec1'] as const;

    it('deals with some before it inflates the next ones, and says what it did once', async () => {
      expect(await run([...WECS.map(large), '['], watched)).toEqual([]);
      expect(portions).toEqual([2, 2]);
      const fields = { messages: 5, events: 4, sourceCount: 3 };
      expect(telemetry.lines.filter(({ level }) => level === 'info')).toMatchObject([{ fields }]);
      expect(letters()).toHaveLength(1);
    });

    it('leaves the rest when there is no time, for them to come again', async () => {
      const put = watched.put;
      watched = {
        ...watched,
        put: (puts) => {
          now += 20_001;
          return put(puts);
        },
      };
      expect(await run(WECS.map(large), watched)).toEqual(['m2', 'm3']);
      expect(portions).toEqual([2]);
      const line = { code: 'deadline', retryable: true, messageIds: ['m2', 'm3'] };
      expect(output.lines()[0]).toMatchObject(line);
    });

    it('keeps the messages of a portion that fails, and no other, for the next time', async () => {
      const failing: ItemStore = {
        ...watched,
        put: (puts) =>
          puts.some(({ item }) => item.sk === 'wec/wec3')
            ? Promise.reject(new StoreUnavailableError('put'))
            : watched.put(puts),
      };
      expect(await run(WECS.map(large), failing)).toEqual(['m2']);
      expect(portions).toEqual([2, 1]);
    });
  });

  it('fails what is not done when the function has to answer', async () => {
    const hanging: ItemStore = { ...store, put: () => new Promise(() => {}) };
    // Just enough time is left to answer.
    remainingMs = 5_001;
    expect(await run([batchOf('wec1'), batchOf('wec2')], hanging)).toEqual(['m0', 'm1']);
    expect(output.lines()[0]).toMatchObject({ code: 'deadline', messageIds: ['m0', 'm1'] });
  });

  it('says which Binding or StatusCollector work follows from', async () => {
    const object = (group: string, resource: string, name: string): string =>
      encodeEvent({
        source: { type: 'wds', name: 'wds1' },
        version: { epoch: 1, sequence: 1 },
        time: '2026-01-01T00:00:00Z',
        content: {
          type: 'wds-object',
          subject: { group, resource, namespace: group === 'apps' ? 'shop' : '', name },
          first: true,
          object: { metadata: { name, uid: 'u', generation: 1 }, spec: {} },
        },
      });
    await registerSender(store, {
      source: { type: 'wds', name: 'wds1' },
      principal: 'AROAFORWARDER',
    });
    const control = 'control.kubestellar.io';
    await run([
      encodeBatch([
        object(control, 'bindings', 'all'),
        object(control, 'statuscollectors', 'totals'),
        object('apps', 'deployments', 'web'),
      ]),
    ]);
    expect(dirty.bodies.map((body) => parseDirty(body).changedBy).sort()).toEqual([
      'wds/wds1',
      'wds/wds1~all',
      'wds/wds1~statuscollectors/totals',
    ]);
  });

  it('tells what each message has cost, also one that cannot be read', async () => {
    const plain = encodeBatch([encoded('wec1')]);
    const numbers = { phase: 'Good', numbers: Array.from({ length: 5_000 }, () => 0.1) };
    const returned = { uid: 'u', generation: 1, status: numbers };
    const many = encodeBatch([encoded('wec2', 1, { ...HAS_IT, returned } as EventContent)]);
    const compressed = gzipSync(many).toString('base64');
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' ')).toString('base64');
    await run([plain, many, compressed, bomb, '[0']);
    const cost = new Map(costs);
    expect([...cost.keys()].sort()).toEqual(['group0', 'group1', 'group2', 'group3', 'group4']);
    const of = (group: string): number => cost.get(group) ?? Number.NaN;
    expect(of('group1')).toBeGreaterThan(30 * of('group0'));
    // The same, with another body.
    expect(of('group2') - compressed.length).toBe(of('group1') - many.length);
    expect(of('group3')).toBe(bomb.length + BODY_LIMITS.inflatedBytes);
    expect(of('group4')).toBe(2 * '[0'.length);
  });

  it('lets one message that fails delay no other', async () => {
    const failing: ItemStore = {
      ...store,
      put: async (puts) => {
        if (puts.some(({ item }) => item.sk.endsWith('#wec2')))
          throw new StoreUnavailableError('put');
        return store.put(puts);
      },
    };
    const bodies = ['wec1', 'wec2', 'wec3'].map((wec) => encodeBatch([encoded(wec)]));
    expect(await run(bodies, failing)).toEqual(['m1']);
    expect(await recorded()).toEqual(['wec1', 'wec3']);
    expect(output.lines()[0]).toMatchObject({ code: 'store-unavailable', messageIds: ['m1'] });
  });

  it('fails a message whose letter the dead-letter queue does not take, and no other', async () => {
    deadLetters.mode = 'lost';
    expect(await run(['[', batchOf('wec1')])).toEqual(['m0']);
    expect(await recorded()).toEqual(['wec1']);
    expect(output.lines()[0]).toMatchObject({ code: 'queue-unavailable', messageIds: ['m0'] });
  });

  it('sends letters one by one when they cannot be sent together: one that is rejected delays no other', async () => {
    const send = deadLetters.send.bind(deadLetters);
    deadLetters.send = async (messages) => {
      const refused = messages.some(({ body }) => parseDeadLetter(body)?.body === '[1');
      if (refused) throw new QueueUnavailableError('send');
      return send(messages);
    };
    expect(await run(['[0', '[1', '[2'])).toEqual(['m1']);
    expect(letters().map((letter) => letter?.body)).toEqual(['[0', '[2']);
  });

  it('writes no letter of a message that comes again because it could not be recorded', async () => {
    dirty.mode = 'lost';
    const body = encodeBatch([encoded('wec1'), '{}']);
    expect(await run([body])).toEqual(['m0']);
    expect(deadLetters.bodies).toEqual([]);
    expect(telemetry.counts).toEqual({});
    dirty.mode = 'accept';
    expect(await run([body])).toEqual([]);
    expect(deadLetters.bodies).toHaveLength(1);
  });

  it('fails a message whose letter would be too large: SQS moves it as it is', async () => {
    const body = `{${'x'.repeat(MAX_MESSAGE_BYTES - 1)}`;
    expect(await run([body, batchOf('wec1')])).toEqual(['m0']);
    expect(deadLetters.bodies).toEqual([]);
    expect(telemetry.counts).toMatchObject({ RefusedEvents: 1 });
    expect(output.lines()[0]).toMatchObject({ code: 'message-too-large', retryable: false });
    expect(await recorded()).toEqual(['wec1']);
  });

  it('fails a message whose follow-ups cannot be sent', async () => {
    dirty.mode = 'lost';
    expect(await run([encodeBatch([encoded('wec1')])])).toEqual(['m0']);
    dirty.mode = 'accept';
    expect(await run([encodeBatch([encoded('wec1')])])).toEqual([]);
    expect(dirty.bodies).toHaveLength(1);
  });

  describe('a sender', () => {
    const reason = (source: string, principal = 'AROASTRANGER') => notRegistered(principal, source);

    it('a sender that is not registered for the source is rejected with an alarm, and changes nothing', async () => {
      const body = batchOf('wec1');
      expect(await run([body, batchOf('wec2')], store, [STRANGER])).toEqual([]);
      expect(await recorded()).toEqual(['wec2']);
      expect(letters()).toEqual([
        { code: 'forged-sender', reasons: [reason('wec/wec1')], senderId: STRANGER, body },
      ]);
      expect(telemetry.counts).toEqual({ EventsRecorded: 1, ForgedSenders: 1 });
    });

    it.each<EventContent>([
      { type: 'heartbeat' },
      { type: 'snapshot', since: { epoch: 9, sequence: 0 } },
    ])('who is not registered stores nothing by a $type either', async (content) => {
      const query = store.query.bind(store);
      const body = encodeBatch([encoded('wec1', 1, content)]);
      expect(await run([body], store, [STRANGER])).toEqual([]);
      expect((await query({ pk: 'E#wec/wec1' })).items).toEqual([]);
      expect((await query({ pk: 'HEARTBEATS' })).items).toEqual([]);
      expect(dirty.bodies).toEqual([]);
    });

    it('is judged by the source, not by the kind of cluster: a WEC is not a WDS of that name', async () => {
      const content: EventContent = { type: 'heartbeat' };
      const version = { epoch: 1, sequence: 1 };
      const source = { type: 'wds', name: 'wec1' } as const;
      const event = encodeEvent({ source, version, time: '2026-01-01T00:00:00Z', content });
      expect(await run([encodeBatch([event])])).toEqual([]);
      expect(letters()).toMatchObject([{ reasons: [reason('wds/wec1', 'AROAFORWARDER')] }]);
    });

    it('a sender that reports another source beside its own is rejected completely, even if both are registered for it', async () => {
      for (const name of ['own', 'too'])
        await registerSender(store, { source: { type: 'wec', name }, principal: 'AROAOWN' });
      const bodies = [
        encodeBatch([encoded('wec1'), '{}', encoded('own')]),
        encodeBatch([encoded('own'), encoded('too')]),
      ];
      expect(await run(bodies, store, ['AROAOWN:x', 'AROAOWN:x'])).toEqual([]);
      expect(await recorded()).toEqual([]);
      expect(letters()).toEqual(
        bodies.map((body) => ({
          code: 'forged-sender',
          reasons: [expect.stringMatching(/^AROAOWN reports 2 sources in one message/)],
          senderId: 'AROAOWN:x',
          body,
        })),
      );
      expect(telemetry.counts).toEqual({ ForgedSenders: 2 });
    });

    it('who names thousands of sources makes nobody look for any of them', async () => {
      const asked: string[] = [];
      const watched: ItemStore = {
        ...store,
        get: (keys) => {
          asked.push(...keys.filter(({ pk }) => pk === 'SENDERS').map(({ sk }) => sk));
          return store.get(keys);
        },
      };
      const names = Array.from({ length: 5_000 }, (_name, index) => `victim-${index}`);
      expect(await run([batchOf(...names), batchOf('wec1')], watched, [STRANGER])).toEqual([]);
      // Asked for each other: once whether the stranger may report every WEC.
      expect(asked).toEqual(['wec/*/AROASTRANGER', 'wec/wec1/AROAFORWARDER']);
      expect(letters()).toMatchObject([{ code: 'forged-sender' }]);
      expect(await recorded()).toEqual(['wec1']);
    });

    it('who is registered for every WEC is believed of as many as he names, with one request for all', async () => {
      await registerSender(store, { source: EVERY_WEC, principal: 'AROAITS' });
      const asked: string[][] = [];
      const watched: ItemStore = {
        ...store,
        get: (keys) => {
          const senders = keys.filter(({ pk }) => pk === 'SENDERS').map(({ sk }) => sk);
          if (senders.length > 0) asked.push(senders);
          return store.get(keys);
        },
      };
      const bodies = [
        batchOf('its-1', 'its-2', 'its-3'),
        batchOf('its-4'),
        batchOf('its-1', 'its-5'),
      ];
      expect(await run(bodies, watched, Array(3).fill('AROAITS:forwarder'))).toEqual([]);
      expect(await recorded()).toEqual(['its-1', 'its-2', 'its-3', 'its-4', 'its-5']);
      expect(letters()).toEqual([]);
      expect(asked).toEqual([['wec/*/AROAITS', 'wec/its-4/AROAITS']]);
    });

    it('who is registered for one WEC reports no ManagedCluster, and who is for every WEC does', async () => {
      await registerSender(store, { source: EVERY_WEC, principal: 'AROAITS' });
      const source = { type: 'wec', name: 'wec1' } as const;
      await registerSender(store, { source, principal: 'AROAFORWARDER' });
      const said = (hub: string | undefined, sequence: number): string =>
        encodeBatch([
          encodeEvent({
            ...{ source, time: '2026-01-01T00:00:00Z', version: { epoch: 1, sequence } },
            content: {
              ...{ type: 'inventory', ...(hub && { hub }) },
              inventory: { labels: { from: hub ?? 'own' }, annotations: {} },
            },
          }),
        ]);
      const bodies = [said('its1', 1), said(undefined, 2), said('its1', 3)];
      const senders = ['AROAFORWARDER:f', 'AROAFORWARDER:f', 'AROAITS:forwarder'];
      expect(await run(bodies, store, senders)).toEqual([]);
      expect(letters()).toMatchObject([
        {
          code: 'forged-sender',
          reasons: [managedCluster('AROAFORWARDER')],
        },
      ]);
      await announceInventories(store);
      const known = await createWecInventories(store).read();
      expect(known.get('wec1')?.labels).toEqual({ from: 'its1' });
    });

    it('a sender that is registered for every WEC may report no WDS, neither alone nor beside WECs, and the letter gives the reason', async () => {
      await registerSender(store, { source: EVERY_WEC, principal: 'AROAITS' });
      const source = { type: 'wds', name: 'wds1' } as const;
      const time = '2026-01-01T00:00:00Z';
      const ofWds = encodeEvent({
        ...{ source, time, version: { epoch: 1, sequence: 1 } },
        content: { type: 'heartbeat' },
      });
      const bodies = [encodeBatch([ofWds]), encodeBatch([encoded('its-1'), ofWds])];
      expect(await run(bodies, store, Array(2).fill('AROAITS:forwarder'))).toEqual([]);
      expect(await recorded()).toEqual([]);
      expect(letters()).toMatchObject([
        { code: 'forged-sender', reasons: [reason('wds/wds1', 'AROAITS')] },
        {
          code: 'forged-sender',
          reasons: [expect.stringMatching(/2 sources .* not all of them WECs/)],
        },
      ]);
    });

    it('the letter for a sender with several WECs explains how to register the forwarder of an ITS, and unreadable events beside them do not count', async () => {
      const body = encodeBatch([encoded('a'), '{}', encoded('b')]);
      expect(await run([body], store, [STRANGER])).toEqual([]);
      expect(letters()).toMatchObject([
        {
          reasons: [
            expect.stringMatching(/not registered for wec\/\*.*starfold register 'wec\/\*'$/),
          ],
        },
      ]);
      expect(telemetry.counts).toEqual({ ForgedSenders: 1 });
    });

    it('is not judged while the store is down: the messages come again, and no letter is written', async () => {
      const down: ItemStore = {
        ...store,
        get: async (keys) => {
          if (keys.some(({ pk, sk }) => pk === 'SENDERS' && sk.startsWith('wec/wec1/')))
            throw new StoreUnavailableError('get');
          return store.get(keys);
        },
      };
      const bodies = [batchOf('wec1'), batchOf('wec2'), batchOf('wec1')];
      const all = await run(bodies, down, [FORWARDER, FORWARDER, STRANGER]);
      expect(all.toSorted()).toEqual(['m0', 'm1', 'm2']);
      expect(await recorded()).toEqual([]);
      expect(deadLetters.bodies).toEqual([]);
    });

    it('who is remembered reports while registrations cannot be read, beside others who wait', async () => {
      let isDown = false;
      let reads = 0;
      const failing: ItemStore = {
        ...store,
        get: async (keys) => {
          if (!keys.some(({ pk }) => pk === 'SENDERS')) return store.get(keys);
          reads += 1;
          if (isDown) throw new StoreUnavailableError('get');
          return store.get(keys);
        },
      };
      check = createSenderCheck({ store: failing, clock: () => NOW, redrivers: [] });
      expect(await run([batchOf('wec2')], failing, [FORWARDER])).toEqual([]);
      [isDown, reads] = [true, 0];
      const bodies = ['wec1', 'wec2', 'wec1', 'wec2'].map((name, index) =>
        encodeBatch([encoded(name, index + 2)]),
      );
      const who = [FORWARDER, FORWARDER, STRANGER, FORWARDER];
      expect((await run(bodies, failing, who)).toSorted()).toEqual(['m0', 'm2']);
      expect(reads).toBe(1);
      expect(deadLetters.bodies).toEqual([]);
    });

    it('who mixes a WDS with WECs is refused without a read', async () => {
      const asked: string[] = [];
      const watched: ItemStore = {
        ...store,
        get: (keys) => {
          asked.push(...keys.filter(({ pk }) => pk === 'SENDERS').map(({ sk }) => sk));
          return store.get(keys);
        },
      };
      const ofWds = encodeEvent({
        ...{ source: { type: 'wds', name: 'wds1' }, time: '2026-01-01T00:00:00Z' },
        ...{ version: { epoch: 1, sequence: 1 }, content: { type: 'heartbeat' } },
      });
      expect(await run([encodeBatch([encoded('wec1'), ofWds])], watched, [STRANGER])).toEqual([]);
      expect(asked).toEqual([]);
      expect(letters()).toMatchObject([{ code: 'forged-sender' }]);
    });
  });

  describe('a redriven message', () => {
    const redriven = (senderId: string, body: string): string =>
      encodeRedriven({ senderId, body }) ?? '';

    it('counts as its first sender said it, when the sweep brings it', async () => {
      expect(await run([redriven(FORWARDER, batchOf('wec1'))], store, [SWEEP])).toEqual([]);
      expect(await recorded()).toEqual(['wec1']);
    });

    it('of a sender that is not registered is rejected again, with the former letter', async () => {
      const body = batchOf('wec1');
      expect(await run([redriven(STRANGER, body)], store, [SWEEP])).toEqual([]);
      expect(await recorded()).toEqual([]);
      expect(letters()).toMatchObject([{ code: 'forged-sender', senderId: STRANGER, body }]);
    });

    it('is accepted when its first sender has been registered in the meantime', async () => {
      await registerSender(store, {
        source: { type: 'wec', name: 'wec1' },
        principal: 'AROASTRANGER',
      });
      expect(await run([redriven(STRANGER, batchOf('wec1'))], store, [SWEEP])).toEqual([]);
      expect(await recorded()).toEqual(['wec1']);
      expect(deadLetters.bodies).toEqual([]);
    });

    it.each([
      { who: 'a stranger', senderId: STRANGER },
      { who: 'the forwarder that it names', senderId: FORWARDER },
      { who: 'an operator whose hour is over', senderId: OPERATOR },
    ])('that $who brings is rejected', async ({ senderId }) => {
      await registerRedriver(store, OPERATOR, NOW);
      const body = redriven(FORWARDER, batchOf('wec1'));
      expect(await run([body], store, [senderId])).toEqual([]);
      expect(await recorded()).toEqual([]);
      expect(letters()).toMatchObject([{ code: 'forged-sender', senderId, body }]);
      expect(letters()[0]?.reasons[0]).toMatch(/may not redrive messages of others/);
      expect(telemetry.counts).toEqual({ ForgedSenders: 1 });
    });

    it('that an operator brings in his hour counts, also when an earlier one was too late', async () => {
      await registerRedriver(store, OPERATOR, NOW + 1);
      const inner = redriven(FORWARDER, batchOf('wec1'));
      const again = redriven(OPERATOR, redriven(FORWARDER, batchOf('wec2')));
      expect(await run([inner, again], store, [OPERATOR, SWEEP])).toEqual([]);
      expect(await recorded()).toEqual(['wec1', 'wec2']);
    });

    it('costs one read, however many redrivers a stranger has written into it', async () => {
      const asked: string[][] = [];
      const watched: ItemStore = {
        ...store,
        get: (keys) => {
          const senders = keys.filter(({ pk }) => pk === 'SENDERS').map(({ sk }) => sk);
          if (senders.length > 0) asked.push(senders);
          return store.get(keys);
        },
      };
      const nested = ['AROAA', 'AROAB', SWEEP, 'AROAC'].reduce(
        (body, name) => redriven(name, body),
        batchOf('victim'),
      );
      const bodies = [nested, redriven(FORWARDER, batchOf('wec1')), batchOf('wec2')];
      expect(await run(bodies, watched, [STRANGER, SWEEP, FORWARDER])).toEqual([]);
      expect(asked).toEqual([
        ['redriver/AROASTRANGER'],
        ['wec/wec2/AROAFORWARDER', 'wec/wec1/AROAFORWARDER'],
      ]);
      expect(await recorded()).toEqual(['wec1', 'wec2']);
      expect(letters()).toMatchObject([{ code: 'forged-sender', senderId: STRANGER }]);
    });

    it('of which it is not known whether its redriver may waits', async () => {
      const down: ItemStore = {
        ...store,
        get: async (keys) => {
          if (keys.some(({ sk }) => sk.startsWith('redriver/')))
            throw new StoreUnavailableError('get');
          return store.get(keys);
        },
      };
      const bodies = [redriven(FORWARDER, batchOf('wec1')), batchOf('wec2')];
      expect(await run(bodies, down, [OPERATOR, FORWARDER])).toEqual(['m0']);
      expect(await recorded()).toEqual(['wec2']);
      expect(letters()).toEqual([]);
    });

    it('in which a stranger names a redriver as its sender is believed no more than the stranger', async () => {
      const body = redriven(SWEEP, redriven(FORWARDER, batchOf('wec1')));
      expect(await run([body], store, [STRANGER])).toEqual([]);
      expect(await run([redriven(STRANGER, body)], store, [SWEEP])).toEqual([]);
      expect(await recorded()).toEqual([]);
      expect(letters()).toMatchObject([
        { senderId: STRANGER, body },
        { senderId: STRANGER, body },
      ]);
    });
  });
});
