import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { NewerMessageError } from '#shared/errors.ts';
import { messageCodec } from '#shared/messages/message-codec.ts';

const SCHEMA = z.object({ name: z.string() });
const FIRST = messageCodec<{ name: string }>('greeting', SCHEMA);
const NEXT = messageCodec<{ name: string }>('greeting', SCHEMA, 2);

describe('the codec of a kind of message', () => {
  it('does not write the first version, and writes every later one', () => {
    expect(FIRST.encode({ name: 'a' })).toBe('{"name":"a"}');
    expect(NEXT.encode({ name: 'a' })).toBe('{"name":"a","messageVersion":2}');
  });

  it('reads what this release and earlier ones have sent', () => {
    for (const codec of [FIRST, NEXT])
      expect(NEXT.decode(codec.encode({ name: 'a' }))).toEqual({ name: 'a' });
  });

  it('ignores a field that a newer release has added', () => {
    expect(FIRST.decode('{"name":"a","more":1}')).toEqual({ name: 'a' });
  });

  it('refuses a newer version, so that the message waits', () => {
    expect(() => FIRST.decode(NEXT.encode({ name: 'a' }))).toThrow(NewerMessageError);
    expect(() => FIRST.decode(NEXT.encode({ name: 'a' }))).toThrow(
      /greeting \(version 2, known is 1\)/,
    );
  });

  it.each(['no JSON', '{}', '[]', '"text"', 'null'])('refuses another text: %s', (body) => {
    expect(() => FIRST.decode(body)).toThrow();
  });

  it('shows the fields of a message, and none of one that it cannot read', () => {
    expect(FIRST.fields('{"name":"a","more":1}')).toEqual({ name: 'a', more: 1 });
    for (const body of [NEXT.encode({ name: 'a' }), 'no JSON', '[1]', 'null', '"text"'])
      expect(FIRST.fields(body)).toEqual({});
  });
});
