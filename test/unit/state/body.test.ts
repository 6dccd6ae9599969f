import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { BodyError, NewerBodyError } from '#shared/errors.ts';
import { bodyBytes, bodyCodec, decodeText, encodeText } from '#shared/state/body.ts';
import { jsonBody } from '#test/fakes/item-body.ts';

const KEY = { pk: 'p', sk: 's' };

describe('a body', () => {
  it('is compressed only beyond 2 KiB, and where that saves a unit of 1 KiB', () => {
    expect(encodeText('a'.repeat(2048))).toBeTypeOf('string');
    expect(encodeText('a'.repeat(2049))).toBeInstanceOf(Uint8Array);
  });

  it('stays plain if compression gains nothing', () => {
    const incompressible = randomBytes(1600).toString('base64').slice(0, 2060);
    const kept = encodeText(incompressible);
    expect(decodeText(kept)).toBe(incompressible);
    expect(bodyBytes(kept)).toBeLessThanOrEqual(2060);
  });

  it('is measured in bytes', () => {
    expect([bodyBytes('é'), bodyBytes(new Uint8Array(5))]).toEqual([2, 5]);
  });
});

describe('the codec of a kind of item', () => {
  const schema = z.looseObject({ name: z.string(), count: z.exactOptional(z.number()) });
  type Kind = { readonly name: string; readonly count?: number };
  const first = bodyCodec<Kind>('kind', schema);
  const second = bodyCodec<Kind>('kind', schema, 2);

  it.each([
    ['small', { name: 'a' }],
    ['large', { name: 'é'.repeat(3000), count: 1.5 }],
  ])('gives a %s value back', (_size, value) => {
    expect(first.decode({ ...KEY, body: first.encode(value) })).toEqual(value);
  });

  it('writes canonical text, without its version if that is the first', () => {
    expect([first.encode({ name: 'a', count: 1 }), second.encode({ name: 'a' })]).toEqual([
      '{"count":1,"name":"a"}',
      '{"bodyVersion":2,"name":"a"}',
    ]);
  });

  it('reads what an older release has written', () => {
    expect(second.decode({ ...KEY, body: first.encode({ name: 'a' }) })).toEqual({ name: 'a' });
  });

  it('reads what it has written itself', () => {
    expect(second.decode({ ...KEY, body: second.encode({ name: 'a' }) })).toEqual({ name: 'a' });
  });

  it('leaves what a newer release has written to that release, and reports it', () => {
    const body = second.encode({ name: 'a' });
    expect(() => first.decode({ ...KEY, body })).toThrow(NewerBodyError);
    expect(new NewerBodyError('kind', KEY, { written: 2, supported: 1 }).retryable).toBe(true);
  });

  it('keeps fields that it does not know', () => {
    const read = first.decode({ ...KEY, body: jsonBody({ name: 'a', later: [1n, 2] }) });
    expect(first.encode(read)).toBe('{"later":[1,2],"name":"a"}');
  });

  it.each([
    ['a body without a field', { count: 1 }],
    ['a body with a field of another type', { name: 1 }],
    ['a text', 'a'],
  ])('rejects %s, naming the item and the field', (_what, value) => {
    expect(() => first.decode({ ...KEY, body: jsonBody(value) })).toThrow(BodyError);
    expect(() => first.decode({ ...KEY, body: jsonBody(value) })).toThrow(
      /^item p s is not a valid kind: /,
    );
  });

  it('rejects an item without a body', () => {
    expect(() => first.decode(KEY)).toThrow(BodyError);
  });
});
