import { beforeEach, describe, expect, it } from 'vitest';
import type { SendNotificationsDeps } from '#functions/send-notifications/deps.ts';
import {
  NO_LONGER_CONFIGURED,
  NO_VALUE,
  NOT_ACCEPTED,
} from '#functions/send-notifications/messages.ts';
import { sendNotifications } from '#functions/send-notifications/use-case.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules, type RuleText } from '#shared/core/notification/rules.ts';
import type { Topic } from '#shared/core/notification/topic.ts';
import { sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import {
  type DeliveryMessage,
  type NotificationMessage,
  parseNotification,
} from '#shared/messages/notification.ts';
import { putApplied, putHead, readApplied, readHead } from '#shared/state/head.ts';
import { notifiedKey, readNotified } from '#shared/state/notified.ts';
import { putSilence } from '#shared/state/silence.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const WORKLOAD = { wds: 'wds1', group: '', resource: 'pods', namespace: 'shop', name: 'web' };
const PK = subjectPartition({ type: 'workload', workload: WORKLOAD });
const VERDICT: Topic = { type: 'verdict', workload: WORKLOAD };
const REFUSALS: Topic = { type: 'refusals', workload: WORKLOAD };
const SILENCE: Topic = { type: 'silence', wec: 'edge1' };
const ALL: Omit<RuleText, 'name'> = { events: Object.values(EVENT_TYPES), send: ['chat'] };

let store: ReturnType<typeof createMemoryItemStore>;
let notifications: SentMessages;
let deadLetters: SentMessages;
let telemetry: ReturnType<typeof createMemoryTelemetry>;
/** What the receiver got; what it throws. */
let received: JsonObject[];
let fault: Error | undefined;

beforeEach(() => {
  store = createMemoryItemStore();
  notifications = new SentMessages();
  deadLetters = new SentMessages();
  telemetry = createMemoryTelemetry();
  received = [];
  fault = undefined;
});

function depsOf(...texts: readonly Partial<RuleText>[]): SendNotificationsDeps {
  const named = texts.map((text, index) => ({ name: `r${index}`, ...ALL, ...text }));
  const deliver = async (event: JsonObject): Promise<void> => {
    if (fault !== undefined) throw fault;
    received.push(event);
  };
  return {
    store,
    notifications,
    deadLetters,
    rules: compileRules(named).rules,
    receivers: new Map([['chat', { deliver }]]),
    telemetry,
    clock: () => 0,
  };
}

async function judge(status: string): Promise<void> {
  const head = await readHead(store, PK);
  await putHead(store, PK, { ...head, revision: head.revision + 1, verdict: { status } });
}

function change(topic: Topic, before: string): NotificationMessage {
  return { type: 'change', topic, before };
}

/** What was sent to receivers since it was last taken. */
function taken(): readonly DeliveryMessage[] {
  return notifications.bodies.splice(0).map((body) => parseNotification(body) as DeliveryMessage);
}

describe('a change', () => {
  it('of a verdict is an event for each receiver of a rule that it matches', async () => {
    const deps = depsOf(
      {},
      { send: ['pager', 'chat'] },
      { condition: 'event.data.workload.name == "api"', send: ['other'] },
    );
    await judge('Degraded');
    await sendNotifications(deps, [change(VERDICT, 'Healthy')]);
    const sent = taken();
    expect(sent.map(({ receiver, revision }) => [receiver, revision])).toEqual([
      ['chat', 1],
      ['pager', 1],
    ]);
    expect(sent[0]?.event).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      type: EVENT_TYPES.verdict,
      sequence: '0000000000000001',
      data: { status: 'Degraded', previous: 'Healthy' },
    });
    expect(sent[1]?.event).toEqual(sent[0]?.event);
    expect(await readNotified(store, VERDICT)).toEqual({
      revision: 1,
      state: { status: 'Degraded' },
      sentTo: { chat: 1, pager: 1 },
      once: {},
    });
  });

  it('that is no longer one sends nothing, and stores nothing', async () => {
    await judge('Healthy');
    await sendNotifications(depsOf({}), [change(VERDICT, 'Healthy')]);
    expect(taken()).toEqual([]);
    expect(await store.get([notifiedKey(VERDICT)])).toEqual([undefined]);
  });

  it('of an object whose verdict is not known sends nothing', async () => {
    await sendNotifications(depsOf({}), [change(VERDICT, 'Healthy')]);
    expect(taken()).toEqual([]);
  });

  it('that no rule matches is noted, and later events say what was before', async () => {
    const deps = depsOf({ condition: 'event.data.status == "Healthy"' });
    await judge('Degraded');
    await sendNotifications(deps, [change(VERDICT, 'Healthy')]);
    expect(taken()).toEqual([]);
    await judge('Healthy');
    await sendNotifications(deps, [change(VERDICT, 'Degraded')]);
    expect(taken().map(({ event }) => [event['sequence'], at(event, 'data', 'previous')])).toEqual([
      ['0000000000000002', 'Degraded'],
    ]);
  });

  it('of what the API server rejects has the texts', async () => {
    const applied = { ...(await readApplied(store, PK)), revision: 1, reported: ['status: no'] };
    await putApplied(store, PK, applied);
    await sendNotifications(depsOf({}), [change(REFUSALS, 'Accepted')]);
    expect(taken().map(({ event }) => event['data'])).toEqual([
      { workload: WORKLOAD, status: 'Refused', previous: 'Accepted', refused: ['status: no'] },
    ]);
  });

  it('of a silence has the last contact, and its end has none', async () => {
    const entry = { name: 'edge1', heartbeat: '1', silent: true, notified: true };
    await putSilence(store, [{ ...entry, lastSeen: '2026-01-01T00:00:00Z' }], 0);
    await sendNotifications(depsOf({}), [change(SILENCE, 'Reporting')]);
    await putSilence(store, [{ ...entry, heartbeat: '2', silent: false }], 0);
    await sendNotifications(depsOf({}), [change(SILENCE, 'Silent')]);
    await putSilence(store, [{ ...entry, heartbeat: '3' }], 0);
    await sendNotifications(depsOf({}), [change(SILENCE, 'Reporting')]);
    expect(taken().map(({ event }) => event['data'])).toEqual([
      {
        wec: 'edge1',
        status: 'Silent',
        previous: 'Reporting',
        lastContact: '2026-01-01T00:00:00Z',
      },
      { wec: 'edge1', status: 'Reporting', previous: 'Silent' },
      { wec: 'edge1', status: 'Silent', previous: 'Reporting' },
    ]);
    expect(notifiedKey(SILENCE).pk).toBe(sourcePartition({ type: 'wec', name: 'edge1' }));
  });
});

describe('a rule with oncePer', () => {
  it('sends one event for each value, as far as values are remembered', async () => {
    const deps = depsOf({ oncePer: 'event.data.status' });
    const statuses = Array.from({ length: 34 }, (_status, index) => `S${index}`);
    for (const status of ['S0', 'S1', 'S0', 'S1', ...statuses.slice(2), 'S33', 'S1']) {
      await judge(status);
      await sendNotifications(deps, [change(VERDICT, 'None')]);
    }
    // The last value was forgotten.
    expect(taken().map(({ event }) => at(event, 'data', 'status'))).toEqual([...statuses, 'S1']);
  });

  it('that has no value sends nothing, and says so', async () => {
    await judge('Degraded');
    await sendNotifications(depsOf({ oncePer: 'event.data.message' }), [change(VERDICT, 'None')]);
    expect(taken()).toEqual([]);
    expect(telemetry.lines).toEqual([expect.objectContaining({ message: NO_VALUE })]);
  });
});

describe('a delivery', () => {
  const delivery = async (): Promise<DeliveryMessage> => {
    await judge('Degraded');
    await sendNotifications(depsOf({}), [change(VERDICT, 'Healthy')]);
    const [message] = taken();
    if (message === undefined) throw new Error('nothing was sent');
    return message;
  };

  it('hands the event over', async () => {
    const message = await delivery();
    await sendNotifications(depsOf({}), [message]);
    expect(received).toEqual([message.event]);
    expect(telemetry.counts).toMatchObject({ Notifications: 1 });
  });

  it('is left out if a later event was sent to the receiver', async () => {
    const message = await delivery();
    await judge('Healthy');
    await sendNotifications(depsOf({}), [change(VERDICT, 'Degraded')]);
    const [later] = taken();
    await sendNotifications(depsOf({}), [message]);
    expect(received).toEqual([]);
    if (later !== undefined) await sendNotifications(depsOf({}), [later]);
    expect(received).toEqual([later?.event]);
  });

  it('fails if the receiver does not answer, so that it is repeated', async () => {
    const message = await delivery();
    fault = new ReceiverUnavailableError({ receiver: 'chat', fault: 'no answer' });
    await expect(sendNotifications(depsOf({}), [message])).rejects.toBe(fault);
    expect(deadLetters.bodies).toEqual([]);
  });

  it('that the receiver does not accept is a dead letter with the reason', async () => {
    const message = await delivery();
    fault = new ReceiverRefusedError('chat', 'it answers 400');
    await sendNotifications(depsOf({}), [message]);
    expect(deadLetters.bodies.map(parseNotification)).toEqual([
      { ...message, refused: fault.message },
    ]);
    expect(telemetry.counts).toMatchObject({ NotificationsRefused: 1 });
    expect(telemetry.lines).toMatchObject([{ message: NOT_ACCEPTED }]);
    fault = undefined;
    await sendNotifications(depsOf({}), deadLetters.bodies.map(parseNotification));
    expect(received).toEqual([message.event]);
  });

  it('to a receiver that is no longer configured ends', async () => {
    const message = await delivery();
    await sendNotifications(depsOf({}), [{ ...message, receiver: 'gone' }]);
    expect(received).toEqual([]);
    expect(telemetry.lines).toEqual([expect.objectContaining({ message: NO_LONGER_CONFIGURED })]);
  });
});
