import { describe, expect, it } from 'vitest';
import { withBoundedDepth } from '#shared/core/bounded-depth.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';

const SUBJECT = { group: 'example.com', resource: 'widgets', namespace: 'shop', name: 'w' };

function nested(levels: number, open = '[', close = ']'): JsonValue {
  return parseJson(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

function widget(status: JsonValue): JsonObject {
  return { kind: 'Widget', metadata: { name: 'w', uid: 'u' }, status };
}

function told(object: JsonObject, type: 'wec' | 'wds'): ForwarderEvent {
  const base = {
    source: { type, name: `${type}1` },
    version: { epoch: 1, sequence: 1 },
    time: '2026-01-01T00:00:00Z',
  };
  const { status } = object;
  const returned = { uid: 'u', generation: 1, ...(status === undefined ? {} : { status }) };
  const content =
    type === 'wec'
      ? ({ type: 'wec-object', wds: 'wds1', subject: SUBJECT, first: true, returned } as const)
      : ({ type: 'wds-object', subject: SUBJECT, first: true, object } as const);
  return { ...base, content };
}

describe('an object that is nested too deeply', () => {
  it.each([
    ['lists', nested(9_000)],
    ['objects', nested(9_000, '{"a":', '}')],
    ['both', nested(4_500, '[{"a":', '}]')],
  ])('can be written once it is bounded: %s', (_what, deep) => {
    expect(stringifyJson(withBoundedDepth(widget(deep))).length).toBeLessThan(10_000);
  });

  it('of a WEC is too large to keep, and of a WDS a fault of its event', () => {
    const object = withBoundedDepth(widget(nested(9_000)));
    const body = (type: 'wec' | 'wds'): string => encodeBatch([encodeEvent(told(object, type))]);
    const { events, errors } = decodeBatch(body('wec'), 0);
    expect(errors).toEqual([]);
    expect(events).toMatchObject([
      { content: { returned: { oversizedBytes: expect.any(Number) } } },
    ]);
    expect(decodeBatch(body('wds'), 0)).toMatchObject({ events: [], refused: 1 });
  });
});

it('an object that a receiver takes stays as it is', () => {
  const object = widget(nested(600));
  expect(withBoundedDepth(object)).toBe(object);
});
