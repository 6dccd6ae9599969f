import { describe, expect, it } from 'vitest';
import type { Topic } from '#shared/core/notification/topic.ts';
import { NewerMessageError } from '#shared/errors.ts';
import {
  encodeNotification,
  type NotificationMessage,
  parseNotification,
} from '#shared/messages/notification.ts';
import { redriveOf } from '#shared/messages/redrive.ts';

const WORKLOAD = { wds: 'wds1', group: '', resource: 'pods', namespace: 'shop', name: 'web' };
const VERDICT: Topic = { type: 'verdict', workload: WORKLOAD };
const SILENCE: Topic = { type: 'silence', wec: 'edge1' };
const CHANGE: NotificationMessage = { type: 'change', topic: VERDICT, before: 'None' };
const DELIVERY: NotificationMessage = {
  type: 'delivery',
  topic: SILENCE,
  receiver: 'chat',
  revision: 2,
  event: { id: 'x', data: { wec: 'edge1' } },
};

describe('a message of a notification', () => {
  it.each([CHANGE, DELIVERY, { ...DELIVERY, refused: 'no' }])(
    'is read as it was sent: %o',
    (message) => {
      expect(parseNotification(encodeNotification(message, '').body)).toEqual(message);
    },
  );

  it('of a newer release has to wait', () => {
    const { body } = encodeNotification(CHANGE, '');
    const newer = JSON.stringify({ ...JSON.parse(body), messageVersion: 2 });
    expect(() => parseNotification(newer)).toThrow(NewerMessageError);
  });

  it('waits in the group of its topic, or of its receiver and topic', () => {
    const groups = [
      CHANGE,
      { ...CHANGE, topic: SILENCE },
      DELIVERY,
      { ...DELIVERY, receiver: 'other' },
      { ...DELIVERY, topic: VERDICT },
    ].map((message) => encodeNotification(message, '').group);
    expect(new Set(groups).size).toBe(groups.length);
    expect(encodeNotification({ ...CHANGE, before: 'Healthy' }, '').group).toBe(groups[0]);
    expect(encodeNotification({ ...DELIVERY, revision: 3 }, '').group).toBe(groups[2]);
  });

  it('has its turn with those of its source, or of its receiver', () => {
    const tenants = [CHANGE, { ...CHANGE, topic: SILENCE }, DELIVERY].map(
      (message) => encodeNotification(message, '').tenant,
    );
    expect(tenants).toEqual(['wds/wds1', 'wec/edge1', 'receiver/chat']);
  });

  it('is a duplicate only for the same cause', () => {
    const of = (cause: string) => encodeNotification(CHANGE, cause).deduplicationId;
    expect(of('a')).toBe(of('a'));
    expect(of('a')).not.toBe(of('b'));
  });
});

describe('a dead letter of a notification', () => {
  const dead = (body: string) => ({ body, senderId: 'AROA', group: 'g' });

  it.each([CHANGE, DELIVERY, { ...DELIVERY, refused: 'it answers 400' }])(
    'is sent again: %o',
    (message) => {
      const { body } = encodeNotification(message, '');
      expect(redriveOf('notifications', dead(body), { principal: 'P' })).toEqual({
        type: 'send',
        message: { body, group: 'g' },
      });
    },
  );

  it('that cannot be read stays', () => {
    expect(redriveOf('notifications', dead('{}'), { principal: 'P' })).toEqual({
      type: 'stay',
      why: 'unreadable',
    });
  });
});
