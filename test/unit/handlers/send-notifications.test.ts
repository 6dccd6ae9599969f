import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localReceiver } from '#shared/adapters/webhooks/messages.ts';
import { isObject, parseJson } from '#shared/core/json.ts';
import { encodeNotification, parseNotification } from '#shared/messages/notification.ts';
import { json } from '#test/fakes/http-api-server.ts';
import { putJudged } from '#test/unit/state/named-workloads.ts';
import { Deployment, EVENT_BUS, STAGE } from './deployment.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const EVENTS = ['dev.starfold.verdict.changed.v1'];
/** Rules by the name of the object, so that each test has its own receiver. */
const DOCUMENT = JSON.stringify({
  webhooks: [{ name: 'local', url: 'http://127.0.0.1:1/', secret: SECRET }],
  rules: [
    {
      name: 'a',
      events: EVENTS,
      condition: "event.data.workload.name == 'a'",
      send: ['event-bus'],
    },
    { name: 'b', events: EVENTS, condition: "event.data.workload.name == 'b'", send: ['local'] },
  ],
});
const TOPIC = (name: string) => {
  const workload = { group: 'apps', resource: 'deployments', namespace: 'shop', name };
  return { type: 'verdict', workload: { wds: 'wds1', ...workload } } as const;
};

let deployment: Deployment;
let handler: typeof import('#functions/send-notifications/handler.ts').handler;

beforeAll(async () => {
  deployment = await Deployment.start('send-notifications', '', DOCUMENT);
  ({ handler } = await import('#functions/send-notifications/handler.ts'));
});

afterAll(() => deployment.close());

/** An object is Degraded, and the message about that is in the queue. */
async function degrade(name: string): Promise<void> {
  const topic = TOPIC(name);
  await putJudged(deployment.store, topic.workload, 'Degraded');
  const message = { type: 'change', topic, before: 'Healthy' } as const;
  await deployment.queue('NotificationsQueue').send([encodeNotification(message, name)]);
}

describe('send-notifications, as it is put together', () => {
  it('sends an event to the event bus of the settings', async () => {
    deployment.bus.answer = (_request, response) =>
      json(response, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
    await degrade('a');
    // The change first, and then the delivery, which it has sent.
    expect(await deployment.feed(handler, 'NotificationsQueue')).toEqual([]);
    expect(await deployment.feed(handler, 'NotificationsQueue')).toEqual([]);
    const [request, ...others] = deployment.bus.requests;
    expect(others).toEqual([]);
    const body = parseJson(request?.body ?? '');
    const detail = {
      type: EVENTS[0],
      source: '/wds/wds1',
      data: { status: 'Degraded', previous: 'Healthy' },
    };
    expect(body).toMatchObject({ Entries: [{ EventBusName: EVENT_BUS, DetailType: EVENTS[0] }] });
    const [entry] = isObject(body) && Array.isArray(body['Entries']) ? body['Entries'] : [];
    expect(parseJson(String((entry as { Detail: string }).Detail))).toMatchObject(detail);
    expect(deployment.output()).toContainEqual(
      expect.objectContaining({ service: 'send-notifications', stage: STAGE, Notifications: 1 }),
    );
  });

  it('keeps what the event bus does not accept in the dead-letter queue', async () => {
    deployment.bus.answer = (_request, response) =>
      json(response, { FailedEntryCount: 1, Entries: [{ ErrorCode: 'MalformedDetail' }] });
    await putJudged(deployment.store, TOPIC('a').workload, 'Healthy');
    const change = { type: 'change', topic: TOPIC('a'), before: 'Degraded' } as const;
    await deployment.queue('NotificationsQueue').send([encodeNotification(change, 'again')]);
    await deployment.feed(handler, 'NotificationsQueue');
    expect(await deployment.feed(handler, 'NotificationsQueue')).toEqual([]);
    expect(await deployment.read('NotificationsDeadLetterQueue', parseNotification)).toMatchObject([
      { receiver: 'event-bus', refused: expect.stringContaining('MalformedDetail') },
    ]);
  });

  it('connects to no address of the function itself: the event waits, and the log says why', async () => {
    await degrade('b');
    expect(await deployment.feed(handler, 'NotificationsQueue')).toEqual([]);
    expect(await deployment.feed(handler, 'NotificationsQueue')).toHaveLength(1);
    expect(JSON.stringify(deployment.output())).toContain(
      `receiver local: ${localReceiver('127.0.0.1', '127.0.0.1', 'loopback')}`,
    );
  });
});
