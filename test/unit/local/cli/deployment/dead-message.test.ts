import { describe, expect, it } from 'vitest';
import { notRegistered } from '#functions/record-events/messages.ts';
import { type DeadMessage, explainMessage } from '#local/cli/deployment/dead-message.ts';
import {
  changeOf,
  discardCommand,
  END_OF_LISTING,
  eventFor,
  eventsOf,
  HEARTBEAT,
  NEWER_MESSAGE,
  unreadableEvents,
} from '#local/cli/deployment/redrive-messages.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import { encodeNotification, type NotificationMessage } from '#shared/messages/notification.ts';
import type { RedrivableQueue, Redriver } from '#shared/messages/redrive.ts';
import { encodeRedriven } from '#shared/messages/redriven.ts';
import { eventsBody, FORWARDER, letterBody, WEB } from './dead-letter-messages.ts';

const OWN = { principal: 'AIDAOPERATOR', recorder: 'AROARECORDER' };
const RECORDER = 'AROARECORDER:starfold-prod-record-events';
const EVENTS = eventsOf(
  3,
  'wec/cluster1',
  `deployments.apps shop/web, ${END_OF_LISTING}, ${HEARTBEAT}`,
);

function explain(
  queue: RedrivableQueue,
  body: string,
  { senderId = FORWARDER, redriver = OWN }: { senderId?: string; redriver?: Redriver } = {},
): DeadMessage {
  return explainMessage(
    queue,
    { messageId: 'm', receiptHandle: 'r', body, senderId, receiveCount: 1, sentAt: 0 },
    redriver,
  );
}

describe('explainMessage', () => {
  it('names sources and objects of events whose handling failed, and their sender', () => {
    const found = explain('events', eventsBody());
    expect(found).toMatchObject({ kind: 'failed', about: EVENTS, sender: FORWARDER });
    expect(found.reasons.join()).toContain('log of record-events');
    expect(found.redrive.type).toBe('send');
  });

  it('names the first sender of events that had been redriven before', () => {
    const body = encodeRedriven({ senderId: 'AROAFIRST:x', body: eventsBody() }) ?? '';
    expect(explain('events', body, { senderId: 'AIDAOPERATOR' })).toMatchObject({
      kind: 'failed',
      about: EVENTS,
      sender: 'AROAFIRST:x',
    });
  });

  it('names the sender of a letter about a forged sender, and how to register it', () => {
    const found = explain('events', letterBody({}), { senderId: RECORDER });
    expect(found).toMatchObject({
      kind: 'forged-sender',
      about: EVENTS,
      sender: FORWARDER,
      reasons: [notRegistered('AROAFORWARDER', 'wec/cluster1')],
    });
    expect(found.remedy).toContain('starfold register wec/cluster1 --principal AROAFORWARDER,');
    expect(found.remedy).toContain(discardCommand('m'));
    expect(found.redrive.type).toBe('send');
  });

  it('says which receiver does not accept an event and why, or what nobody could be notified of', () => {
    const topic = { type: 'silence', wec: 'wec1' } as const;
    const event = { id: 'i' };
    const delivery = { type: 'delivery', topic, receiver: 'chat', revision: 1, event } as const;
    const refused = 'receiver chat: it answers 400';
    const about = eventFor('chat', 'silence of wec/wec1 wec1');
    const body = (message: NotificationMessage) => encodeNotification(message, '').body;
    expect(explain('notifications', body({ ...delivery, refused }))).toMatchObject({
      ...{ kind: 'refused', about, reasons: [refused] },
      redrive: { type: 'send' },
    });
    const failed = explain('notifications', body(delivery));
    expect(failed).toMatchObject({ kind: 'failed', about });
    expect(failed.reasons.join()).toContain('log of send-notifications');
    expect(explain('notifications', body({ type: 'change', topic, before: 'x' }))).toMatchObject({
      ...{ kind: 'failed', about: changeOf('silence of wec/wec1 wec1') },
    });
    expect(explain('notifications', '{}')).toMatchObject({
      ...{ kind: 'unreadable', redrive: { type: 'stay' } },
    });
  });

  it('gives the remedy of a letter about a quota', () => {
    const reasons = ['wec/cluster1 has reached its quota of 3 objects'];
    const body = letterBody({ code: 'over-quota', reasons });
    const found = explain('events', body, { senderId: RECORDER });
    expect(found).toMatchObject({ kind: 'over-quota', about: EVENTS, reasons });
    expect(found.remedy).toContain('raise objectsPerWec in infra/settings.yml');
    expect(found.redrive.type).toBe('send');
  });

  it.each(['$(curl evil.example)', 'a;reboot', 'a b', 'a\u202eb', '`id`', "a'b"])(
    'puts no name into a command that a shell might act on: %s',
    (name) => {
      const [first]: readonly Record<string, unknown>[] = JSON.parse(eventsBody());
      const body = JSON.stringify([{ ...first, source: `/wec/${name}` }]);
      const letter = letterBody({ body, senderId: `${name}:session` });
      const { remedy } = explain('events', letter, { senderId: RECORDER });
      expect(remedy).toContain('starfold register, then');
      expect(remedy).not.toContain(name);
      const stranger = letterBody({ senderId: `${name}:session` });
      const other = explain('events', stranger, { senderId: RECORDER });
      expect(other.remedy).toContain('starfold register wec/cluster1 --principal ID, then');
    },
  );

  it('leaves to the operator which of several sources he means', () => {
    const batch: readonly Record<string, unknown>[] = JSON.parse(eventsBody());
    const other = { ...batch[2], source: '/wec/cluster2' };
    const body = letterBody({ body: JSON.stringify([...batch, other]) });
    const found = explain('events', body, { senderId: RECORDER });
    expect(found.remedy).toContain('starfold register, then');
  });

  it('gives the errors of a letter about unreadable events', () => {
    const reasons = ['event 1.2: time: missing'];
    const body = letterBody({ code: 'unreadable', reasons, body: '[{}, {}]' });
    const found = explain('events', body, { senderId: RECORDER });
    expect(found).toMatchObject({
      kind: 'unreadable',
      about: unreadableEvents(2),
      reasons,
    });
    expect(found.remedy).toContain('update');
  });

  it.each([
    ['written by somebody else', FORWARDER, OWN],
    ['when it is not known who record-events is', RECORDER, { principal: 'AIDAOPERATOR' }],
  ])('believes nothing of a letter %s', (_name, senderId, redriver) => {
    const found = explain('events', letterBody({}), { senderId, redriver });
    expect(found).toMatchObject({ kind: 'foreign', sender: senderId });
    expect(found.redrive).toEqual({ type: 'stay', why: 'letter' });
    expect(JSON.stringify(found)).not.toContain('cluster1');
  });

  it.each<[RedrivableQueue, string]>([
    ['events', 'hello'],
    ['events', '[{}]'],
    ['dirty', '{}'],
    ['hints', 'hello'],
  ])('says that nothing can be read of another text in %s: %s', (queue, body) => {
    const found = explain(queue, body);
    expect(found.kind).toBe('unreadable');
    expect(found.redrive).toEqual({ type: 'stay', why: 'unreadable' });
    expect(found.remedy).toContain('--discard');
  });

  it.each<[RedrivableQueue, string]>([
    ['dirty', encodeDirty({ type: 'subject', subject: WEB }, '').body],
    ['hints', encodeHint({ subject: WEB, objects: [] }, '').body],
  ])('keeps what a newer release has sent to %s', (queue, body) => {
    const found = explain(queue, JSON.stringify({ ...JSON.parse(body), messageVersion: 2 }));
    expect(found).toMatchObject({ kind: 'newer', about: NEWER_MESSAGE });
    expect(found.reasons.join()).toContain('deploy that release everywhere');
    expect(found.redrive).toEqual({ type: 'stay', why: 'newer' });
    expect(found.remedy).not.toContain('--discard');
  });

  it.each([
    [
      encodeDirty({ type: 'subject', subject: WEB }, ''),
      'aggregation of deployments.apps shop/web of wds1',
    ],
    [
      encodeDirty({ type: 'members', wds: 'wds1', binding: 'b', revision: 1, cursor: '' }, ''),
      'workload objects of Binding b of wds1',
    ],
    [
      encodeDirty(
        { type: 'sweep', source: { type: 'wec', name: 'a' }, since: { epoch: 1, sequence: 1 } },
        '',
      ),
      'sweep of what wec/a no longer has',
    ],
  ])('names the work of aggregate-workload', ({ body }, about) => {
    expect(explain('dirty', body)).toMatchObject({ kind: 'failed', about });
  });

  it.each([
    [WEB, 'writing of deployments.apps shop/web of wds1'],
    [{ type: 'binding', wds: 'wds1', name: 'b' } as const, 'writing of Binding b of wds1'],
    [
      { type: 'collector', wds: 'wds1', name: 'c' } as const,
      'writing of StatusCollector c of wds1',
    ],
  ])('names the work of write-results', (subject, about) => {
    const { body } = encodeHint({ subject, objects: [] }, '');
    expect(explain('hints', body)).toMatchObject({ kind: 'failed', about });
  });

  it('names the first three of many', () => {
    const batch: readonly Record<string, unknown>[] = JSON.parse(eventsBody());
    const [first, ...others] = batch;
    const more = ['a', 'b', 'c', 'd'].map((name) => ({
      ...first,
      subject: `wds1/apps/deployments/shop/${name}`,
    }));
    const { about } = explain('events', JSON.stringify([...more, ...others]));
    expect(about).toMatch(/^6 events of wec\/cluster1: .* and 3 more$/);
  });
});
