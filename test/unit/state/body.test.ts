import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bodyBytes, decodeBody, decodeText, encodeBody, encodeText } from '#shared/state/body.ts';

const KEY = { pk: 'p', sk: 's' };

describe('a body', () => {
  it('of a small value is its canonical text', () => {
    expect(encodeBody({ b: 1, a: 9007199254740993n })).toBe('{"a":9007199254740993,"b":1}');
  });

  it('is compressed only beyond 2 KiB, and where that saves a unit of 1 KiB', () => {
    expect(encodeText('a'.repeat(2048))).toBeTypeOf('string');
    expect(encodeText('a'.repeat(2049))).toBeInstanceOf(Uint8Array);
  });

  it('stays plain where compression gains nothing', () => {
    const incompressible = randomBytes(1600).toString('base64').slice(0, 2060);
    const kept = encodeText(incompressible);
    expect(decodeText(kept)).toBe(incompressible);
    expect(bodyBytes(kept)).toBeLessThanOrEqual(2060);
  });

  it.each([
    ['small', { a: 1 }],
    ['large', { a: 'é'.repeat(3000), n: [1, 2n ** 62n, 1.5] }],
  ])('of a %s value gives it back', (_size, value) => {
    expect(decodeBody({ ...KEY, body: encodeBody(value) })).toEqual(value);
  });

  it('that is absent is null', () => {
    expect(decodeBody(KEY)).toBeNull();
  });

  it('is measured in bytes', () => {
    expect([bodyBytes('é'), bodyBytes(new Uint8Array(5))]).toEqual([2, 5]);
  });
});
