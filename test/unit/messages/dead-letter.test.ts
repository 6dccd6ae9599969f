import { expect, it } from 'vitest';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { encodeDeadLetter, parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeRedriven, parseRedriven } from '#shared/messages/redriven.ts';

const LETTER = { code: 'unreadable', reasons: ['it is'], senderId: 'AROA:x', body: '[]' } as const;

it('a letter is JSON of this form', () => {
  expect(JSON.parse(encodeDeadLetter(LETTER) ?? '')).toEqual({
    type: 'dev.starfold.dead-letter.v1',
    ...LETTER,
  });
});

it('a redriven message is JSON of this form', () => {
  expect(JSON.parse(encodeRedriven({ senderId: 'AROA:x', body: '[]' }) ?? '')).toEqual({
    type: 'dev.starfold.redriven.v1',
    senderId: 'AROA:x',
    body: '[]',
  });
});

it.each([
  { what: 'another type', change: { type: 'dev.starfold.dead-letter.v2' } },
  { what: 'another code', change: { code: 'rude' } },
  { what: 'reasons that are no texts', change: { reasons: [1] } },
  { what: 'no sender', change: { senderId: undefined } },
  { what: 'a body that is no text', change: { body: [] } },
])('JSON with $what is not a letter', ({ change }) => {
  const text = JSON.stringify({ ...JSON.parse(encodeDeadLetter(LETTER) ?? ''), ...change });
  expect(parseDeadLetter(text)).toBeUndefined();
});

it('a batch that is too large for a letter as it is can be read out of it as forwarders send it', () => {
  const version = { epoch: 1, sequence: 1 };
  const source = { type: 'wec', name: 'wec1' } as const;
  const subject = { group: '', resource: 'pods', namespace: 'shop', name: 'web' };
  const status = { message: '"'.repeat(300_000) };
  const returned = { uid: 'u', generation: 1, status };
  const content = { type: 'wec-object', wds: 'wds1', subject, first: false, returned } as const;
  const event = { source, version, time: '2026-01-01T00:00:00Z', content };
  const body = `[${encodeEvent(event)}]`;
  const letter = parseDeadLetter(encodeDeadLetter({ ...LETTER, body }) ?? '');
  const redriven = parseRedriven(encodeRedriven({ senderId: 'AROA:x', body }) ?? '');
  // Not shown when they differ: they are large.
  expect(letter?.body === encodeBatch([encodeEvent(event)])).toBe(true);
  expect(redriven?.body === letter?.body).toBe(true);
  expect(decodeBatch(letter?.body ?? '').events.map(({ version: read }) => read)).toEqual([
    version,
  ]);
});
