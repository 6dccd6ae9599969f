import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { encodeDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import { encodeNotification } from '#shared/messages/notification.ts';
import { redriveOf } from '#shared/messages/redrive.ts';
import { encodeRedriven, parseRedriven } from '#shared/messages/redriven.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';

const FORWARDER = 'AROAFORWARDER:session';
const SWEEP = { principal: 'AROASWEEP' };
const OPERATOR = { principal: 'AIDA', recorder: 'AROARECORD' };
const EVENT = encodeEvent({
  source: { type: 'wec', name: 'wec1' },
  version: { epoch: 1, sequence: 1 },
  time: '2026-01-01T00:00:00Z',
  content: { type: 'heartbeat' },
});
const BATCH = encodeBatch([EVENT]);
const CHANGE = { type: 'change', topic: { type: 'silence', wec: 'wec1' }, before: 'x' } as const;
const LETTER = { code: 'forged-sender', reasons: [], senderId: FORWARDER, body: BATCH } as const;

function redriven(senderId: string, body: string) {
  return { type: 'send', message: { body: encodeRedriven({ senderId, body }) } };
}

describe('events that failed', () => {
  it.each([
    { what: 'a batch', body: BATCH },
    { what: 'an empty batch', body: '[]' },
    { what: 'a compressed batch', body: gzipSync(BATCH).toString('base64') },
    { what: 'a batch of which one event can be read', body: encodeBatch(['{}', EVENT]) },
    {
      what: 'a message that an operator brought back',
      body: encodeRedriven({ senderId: FORWARDER, body: BATCH }) ?? '',
    },
  ])('go back in the name of their sender: $what', ({ body }) => {
    expect(redriveOf('events', { body, senderId: FORWARDER }, SWEEP)).toEqual(
      redriven(FORWARDER, body),
    );
  });

  it('go back as they are when the redriver itself brought them: they do not grow', () => {
    const body = encodeRedriven({ senderId: FORWARDER, body: BATCH }) ?? '';
    const message = { body, senderId: 'AROASWEEP:sweep-stale' };
    expect(redriveOf('events', message, SWEEP)).toEqual({ type: 'send', message: { body } });
  });

  it.each([
    { what: 'nonsense', body: 'nonsense' },
    { what: 'a batch of which no event can be read', body: '[{},{}]' },
    {
      what: 'a small body that inflates to three million elements',
      body: gzipSync(`[${'0,'.repeat(3_000_000)}0]`).toString('base64'),
    },
    {
      what: 'a redriven message with nothing to read in it',
      body: encodeRedriven({ senderId: FORWARDER, body: '{}' }) ?? '',
    },
  ])('stay if they cannot be read: $what', ({ body }) => {
    expect(redriveOf('events', { body, senderId: FORWARDER }, SWEEP)).toEqual({
      type: 'stay',
      why: 'unreadable',
    });
  });

  it('stay when no message can hold them with the name of their sender', () => {
    // Base64 may have blanks at its end.
    const body = gzipSync(BATCH).toString('base64');
    const padded = `${body}${' '.repeat(MAX_MESSAGE_BYTES - body.length)}`;
    expect(redriveOf('events', { body: padded, senderId: FORWARDER }, SWEEP)).toEqual({
      type: 'stay',
      why: 'too-large',
    });
  });
});

describe('letters', () => {
  const body = encodeDeadLetter(LETTER) ?? '';
  const genuine = { body, senderId: 'AROARECORD:record-events' };
  const stays = { type: 'stay', why: 'letter' };

  it('stay if they have not been read', () => {
    expect(redriveOf('events', genuine, SWEEP)).toEqual(stays);
  });

  it('go back in the name of the sender of the message in them when an operator wants so', () => {
    expect(redriveOf('events', genuine, OPERATOR)).toEqual(redriven(FORWARDER, BATCH));
  });

  it('stay when record-events did not write them: anybody can send such a text', () => {
    expect(redriveOf('events', { body, senderId: 'AROASTRANGER:x' }, OPERATOR)).toEqual(stays);
  });
});

describe('work for the other functions', () => {
  const subject = { type: 'binding', wds: 'wds1', name: 'b1' } as const;
  const dirty = encodeDirty({ type: 'subject', subject }, 'cause');
  const hint = encodeHint({ subject, objects: [] }, 'cause');

  it.each([
    { queue: 'dirty', message: dirty },
    { queue: 'hints', message: hint },
  ] as const)('goes back as it is, in its group, and never as a duplicate: $queue', (one) => {
    const { body, group = '', deduplicationId = '' } = one.message;
    const received = { body, group, deduplicationId, senderId: 'AROA:x' };
    expect(redriveOf(one.queue, received, SWEEP)).toEqual({
      type: 'send',
      message: { body, group },
    });
  });

  it.each([
    ['dirty', dirty],
    ['hints', hint],
    ['notifications', encodeNotification(CHANGE, 'cause')],
  ] as const)('stays for the newer release that sent it: %s', (queue, { body }) => {
    const newer = JSON.stringify({ ...JSON.parse(body), messageVersion: 2 });
    expect(redriveOf(queue, { body: newer, group: 'g', senderId: 'AROA:x' }, SWEEP)).toEqual({
      type: 'stay',
      why: 'newer',
    });
  });

  it.each([
    { queue: 'dirty', body: hint.body },
    { queue: 'hints', body: dirty.body },
    { queue: 'dirty', body: 'nonsense' },
  ] as const)('stays when it is not what $queue carry', ({ queue, body }) => {
    expect(redriveOf(queue, { body, group: 'g', senderId: 'AROA:x' }, SWEEP)).toEqual({
      type: 'stay',
      why: 'unreadable',
    });
  });
});

it('what is redriven by several hands names each', () => {
  const once = encodeRedriven({ senderId: FORWARDER, body: BATCH }) ?? '';
  const twice = redriveOf('events', { body: once, senderId: 'AIDA' }, SWEEP);
  const outer = twice.type === 'send' ? parseRedriven(twice.message.body) : undefined;
  expect(outer?.senderId).toBe('AIDA');
  expect(parseRedriven(outer?.body ?? '')).toEqual({ senderId: FORWARDER, body: BATCH });
});
