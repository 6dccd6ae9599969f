import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { localContext } from '#local/stack/poller.ts';
import type { EventContent } from '#shared/core/event.ts';
import type { Subject } from '#shared/core/subject.ts';
import { encodeDirty, encodeHint, parseDirty } from '#shared/messages/dirty.ts';
import { encodeNotification, parseNotification } from '#shared/messages/notification.ts';
import { encodeRedriven } from '#shared/messages/redriven.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { Deployment, STAGE, SWEEPER } from './deployment.ts';

const SUBJECT: Subject = { type: 'collector', wds: 'wds1', name: 'totals' };
const OBJECT = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
const QUEUES = ['EventsQueue', 'DirtyQueue', 'HintsQueue', 'NotificationsQueue'] as const;
const DEAD_LETTERS = [
  'DirtyDeadLetterQueue',
  'EventsDeadLetterQueue',
  'HintsDeadLetterQueue',
  'NotificationsDeadLetterQueue',
] as const;
const CONTEXT = localContext('sweep-stale', 'request');

let deployment: Deployment;
let handler: typeof import('#functions/sweep-stale/handler.ts').handler;

beforeAll(async () => {
  deployment = await Deployment.start('sweep-stale');
  // Its receives wait for a second.
  deployment.clock = Date.now;
  ({ handler } = await import('#functions/sweep-stale/handler.ts'));
});

afterAll(() => deployment.close());

/** What a WEC said at a time, recorded. */
async function recordAt(clock: () => number, contents: readonly EventContent[]): Promise<void> {
  const { store } = deployment;
  const [dirty, hints] = [new SentMessages(), new SentMessages()];
  const events = contents.map((content) => ({
    source: { type: 'wec', name: 'wec1' } as const,
    version: { epoch: 1, sequence: 1 },
    time: '2026-01-01T00:00:00Z',
    content,
  }));
  await recordEvents({ store, specs: createSpecStore(store), dirty, hints, clock }, events);
}

describe('sweep-stale, as it is put together', () => {
  it('sends what lies in each dead-letter queue back to its own queue', async () => {
    const senderId = 'AROAFORWARDER:session';
    const dirty = encodeDirty({ type: 'subject', subject: SUBJECT }, 'test');
    const hint = encodeHint({ subject: SUBJECT, objects: [] }, 'test');
    await deployment.queue('EventsDeadLetterQueue', senderId).send([{ body: '[]' }]);
    await deployment.queue('DirtyDeadLetterQueue').send([dirty]);
    const topic = { type: 'silence', wec: 'wec1' } as const;
    const notified = encodeNotification({ type: 'change', topic, before: 'Silent' }, 'test');
    await deployment.queue('HintsDeadLetterQueue').send([hint]);
    await deployment.queue('NotificationsDeadLetterQueue').send([notified]);
    await handler({ task: 'redrive' }, CONTEXT);
    const [events, ...others] = await Promise.all(QUEUES.map((name) => deployment.take(name)));
    expect(events).toMatchObject([{ body: encodeRedriven({ senderId, body: '[]' }) }]);
    expect(others).toMatchObject([
      [{ body: dirty.body, group: dirty.group }],
      [{ body: hint.body, group: hint.group }],
      [{ body: notified.body, group: notified.group }],
    ]);
    const left = await Promise.all(DEAD_LETTERS.map((name) => deployment.take(name)));
    expect(left).toEqual([[], [], [], []]);
    expect(deployment.asked('DeleteMessageBatch')).toEqual(DEAD_LETTERS);
    expect(deployment.output()).toContainEqual(
      expect.objectContaining({ service: 'sweep-stale', stage: STAGE }),
    );
  });

  it('knows what it sent back itself, and encloses what others pretend to have', async () => {
    const body = encodeRedriven({ senderId: 'AROAFORWARDER:session', body: '[]' }) ?? '';
    const other = 'AROASTRANGER:session';
    await deployment.queue('EventsDeadLetterQueue', `${SWEEPER}:session`).send([{ body }]);
    await deployment.queue('EventsDeadLetterQueue', other).send([{ body }]);
    await handler({ task: 'redrive' }, CONTEXT);
    const bodies = await deployment.read('EventsQueue', (text) => text);
    expect(bodies.sort()).toEqual([body, encodeRedriven({ senderId: other, body })].sort());
  });

  it('notifies the aggregator of the workloads of a WEC that has fallen silent', async () => {
    const returned = { uid: 'u', generation: 1 };
    const object = { type: 'wec-object', wds: 'wds1', subject: OBJECT, first: true } as const;
    await recordAt(() => 0, [{ type: 'heartbeat' }, { ...object, returned }]);
    const schedule = { version: '0', id: 'i', source: 'aws.events', account: '000000000000' };
    const times = { time: '2026-01-01T00:00:00Z', region: 'eu-central-1' };
    await handler(
      { ...schedule, ...times, 'detail-type': 'Scheduled Event', resources: [], detail: {} },
      CONTEXT,
    );
    const workload = { wds: 'wds1', ...OBJECT };
    expect(await deployment.read('DirtyQueue', parseDirty)).toEqual([
      { type: 'subject', subject: { type: 'workload', workload }, silence: true },
    ]);
    expect(await deployment.read('NotificationsQueue', parseNotification)).toEqual([
      { type: 'change', topic: { type: 'silence', wec: 'wec1' }, before: 'Reporting' },
    ]);
  });
});
