import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeDeadLetter, parseDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeRedriven, parseRedriven } from '#shared/messages/redriven.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';

/** What SQS refuses in a message (Amazon SQS API Reference, SendMessage). */
function isRefused(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isControl = code < 0x20 && !'\t\n\r'.includes(character);
  return isControl || (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff;
}

/** UTF-16 code units: unpaired surrogates, controls and noncharacters among them. */
const unit = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 0xffff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xd800, max: 0xdfff }) },
    { weight: 1, arbitrary: fc.constantFrom(0xfffe, 0xffff, 0, 0x22, 0x5c, 0x7f) },
  )
  .map((code) => String.fromCharCode(code));
const text = fc.string({ unit, maxLength: 60 });
/** Bodies up to beyond what a message holds: a text many times over, perhaps as a batch. */
const body = fc
  .record({
    text,
    batch: fc.boolean(),
    times: fc.constantFrom(1, 1, 1, 1, 2_000, 9_000, 30_000),
  })
  .map(({ text: part, batch, times }) => `${batch ? '[' : ''}${part.repeat(times)}`);

/** Length in a message, in bytes. */
function enclosedBytes(given: string): number {
  return Buffer.byteLength(JSON.stringify(given).replace(/[\ufffe\uffff]/g, '\\uffff'));
}

/** The body that was enclosed: itself, or a batch that had to be compressed. */
function original(kept: string, given: string): string {
  if (kept === given) return kept;
  expect(given.startsWith('[')).toBe(true);
  // Compressed only where it had to be.
  expect(enclosedBytes(given)).toBeGreaterThan(MAX_MESSAGE_BYTES - 10_000);
  return gunzipSync(Buffer.from(kept, 'base64')).toString();
}

function expectMessage(message: string): void {
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
  expect([...message].some(isRefused)).toBe(false);
}

/** Nothing is refused that would fit. */
function expectTooLarge(given: string): void {
  expect(enclosedBytes(given)).toBeGreaterThan(MAX_MESSAGE_BYTES - 10_000);
  if (given.startsWith('[')) expect(given.isWellFormed()).toBe(false);
}

it('a letter says again what was put into it, in a message that SQS takes', () => {
  const code = fc.constantFrom('unreadable', 'forged-sender', 'over-quota');
  fc.assert(
    fc.property(code, fc.array(text, { maxLength: 3 }), text, body, (...given) => {
      const [letterCode, reasons, senderId, whole] = given;
      const letter = { code: letterCode, reasons, senderId, body: whole };
      const message = encodeDeadLetter(letter);
      if (message === undefined) return expectTooLarge(whole);
      expectMessage(message);
      const parsed = parseDeadLetter(message);
      expect({ ...parsed, body: original(parsed?.body ?? '', whole) }).toEqual(letter);
      expect(parseRedriven(message)).toBeUndefined();
    }),
  );
});

it('a redriven message says again what was put into it, in a message that SQS takes', () => {
  fc.assert(
    fc.property(text, body, (senderId, whole) => {
      const message = encodeRedriven({ senderId, body: whole });
      if (message === undefined) return expectTooLarge(whole);
      expectMessage(message);
      const parsed = parseRedriven(message);
      expect(parsed?.senderId).toBe(senderId);
      expect(original(parsed?.body ?? '', whole)).toBe(whole);
      expect(parseDeadLetter(message)).toBeUndefined();
    }),
  );
});

it('no other text is taken for either', () => {
  const other = fc.oneof(
    text,
    fc.json(),
    text.map((inner) => `{${inner}`),
  );
  fc.assert(
    fc.property(other, (message) => {
      expect(parseDeadLetter(message)).toBeUndefined();
      expect(parseRedriven(message)).toBeUndefined();
    }),
  );
});
