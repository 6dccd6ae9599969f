import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import { decodeBody, encodeBody, encodeEvent, PLAIN_BODY_BYTES } from '#shared/events/codec.ts';

const TIME = '2026-08-01T10:00:00.000Z';
const WEC = { type: 'wec', name: 'edge-1' } as const;
const WDS = { type: 'wds', name: 'wds1' } as const;
const SUBJECT = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'web' };

function event(
  content: ForwarderEvent['content'],
  source: ForwarderEvent['source'] = WEC,
): ForwarderEvent {
  return { source, version: { epoch: 3, sequence: 12 }, time: TIME, content };
}

const CHANGED = event({
  type: 'wec-object',
  wds: 'wds1',
  subject: SUBJECT,
  first: true,
  returned: {
    uid: 'u1',
    generation: 2,
    sourceGeneration: 5,
    spec: { replicas: 3, big: 9223372036854775807n },
    replicasFromScale: true,
    deleting: true,
    lastUpdate: '2026-08-01T09:59:00Z',
    status: null,
  },
});

const EVENTS: readonly (readonly [string, ForwarderEvent])[] = [
  ['a changed object of a WEC', CHANGED],
  [
    'a cluster-scoped object with the least there is',
    event({
      type: 'wec-object',
      wds: 'wds1',
      subject: { group: '', resource: 'nodes', namespace: '', name: 'n' },
      first: false,
      returned: { uid: 'u', generation: 0 },
    }),
  ],
  [
    'a deleted object of a WEC',
    event({ type: 'wec-object', wds: 'w', subject: SUBJECT, first: false }),
  ],
  [
    'a changed object of a WDS',
    event({ type: 'wds-object', subject: SUBJECT, first: false, object: { kind: 'X', n: 1 } }, WDS),
  ],
  ['a deleted object of a WDS', event({ type: 'wds-object', subject: SUBJECT, first: true }, WDS)],
  ['the end of a snapshot', event({ type: 'snapshot', since: { epoch: 3, sequence: 7 } })],
  ['a heartbeat', event({ type: 'heartbeat' }, WDS)],
];

describe('events and their message', () => {
  it.each(EVENTS)('carries %s unchanged', (_case, original) => {
    const decoded = decodeBody(encodeBody([encodeEvent(original)]));
    expect(decoded).toEqual({ events: [original], errors: [] });
  });

  it('is a CloudEvents 1.0 JSON batch', () => {
    expect(parseJson(encodeBody([encodeEvent(event({ type: 'heartbeat' }))]))).toEqual([
      {
        specversion: '1.0',
        id: '3.12',
        source: '/wec/edge-1',
        type: 'dev.starfold.heartbeat.v1',
        time: TIME,
        epoch: '3',
        sequence: '0000000000000012',
      },
    ]);
  });

  it('names the object of an event in its subject', () => {
    expect(parseJson(encodeEvent(CHANGED))).toMatchObject({
      type: 'dev.starfold.object.changed.v1',
      subject: 'wds1/apps/deployments/default/web',
    });
  });

  it('compresses a body beyond 64 KiB, and only then', () => {
    const large = event(
      {
        type: 'wds-object',
        subject: SUBJECT,
        first: false,
        object: { a: 'x'.repeat(PLAIN_BODY_BYTES) },
      },
      WDS,
    );
    const body = encodeBody([encodeEvent(large)]);
    expect(body.startsWith('[')).toBe(false);
    expect(body.length).toBeLessThan(PLAIN_BODY_BYTES);
    expect(decodeBody(body).events).toEqual([large]);
    expect(encodeBody([encodeEvent(CHANGED)]).startsWith('[')).toBe(true);
  });
});

function broken(change: JsonObject, drop: readonly string[] = []): string {
  const whole = parseJson(encodeEvent(CHANGED)) as JsonObject; // encodeEvent writes an object.
  const kept = Object.fromEntries(Object.entries(whole).filter(([key]) => !drop.includes(key)));
  return JSON.stringify([{ ...kept, ...change }], (_key, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
}

describe('an event that cannot be used', () => {
  it.each([
    ['specversion', broken({ specversion: '0.3' }), 'specversion'],
    ['a missing source', broken({}, ['source']), 'source'],
    ['an unknown kind of source', broken({ source: '/its/a' }), 'source'],
    ['an unknown type', broken({ type: 'dev.starfold.object.changed.v9' }), 'type'],
    ['a time that is none', broken({ time: 'yesterday' }), 'time'],
    ['an epoch that is a number', broken({ epoch: 3 }), 'epoch'],
    ['a sequence beyond 2^53', broken({ sequence: '90071992547409930' }), 'sequence'],
    ['a subject with too few parts', broken({ subject: 'apps/deployments' }), 'subject'],
    ['no subject', broken({}, ['subject']), 'subject'],
    ['data without the object', broken({ data: { first: true } }), 'data.returned'],
    ['no data', broken({}, ['data']), 'data'],
    [
      'a generation that is text',
      broken({ data: { first: true, returned: { uid: 'u', generation: '2' } } }),
      'data.returned.generation',
    ],
    [
      'a WDS object that is a list',
      broken({ source: '/wds/a', subject: 'apps/d/n/x', data: { first: true, object: [] } }),
      'data.object',
    ],
  ])('with %s is reported with its id, the field and what it must be', (_case, body, field) => {
    const { events, errors } = decodeBody(body);
    expect(events).toEqual([]);
    expect(errors).toMatchObject([
      { index: 0, id: '3.12', field, message: expect.stringMatching(/^event 3\.12: .+: .*must/) },
    ]);
  });

  it('without an id is named by its place', () => {
    const { errors } = decodeBody(broken({}, ['id']));
    expect(errors).toMatchObject([
      {
        index: 0,
        field: 'id',
        message: 'event number 0 of the batch: id: must be a non-empty string',
      },
    ]);
  });

  it('does not hide the others of its batch', () => {
    const good = encodeEvent(CHANGED);
    const { events, errors } = decodeBody(`[7,${good},{"id":"x"},${good}]`);
    expect(events).toEqual([CHANGED, CHANGED]);
    expect(errors.map(({ index, id }) => [index, id])).toEqual([
      [0, undefined],
      [2, 'x'],
    ]);
  });

  it.each([
    ['text', 'hello'],
    ['JSON that is no list', '{"specversion":"1.0"}'],
    ['a list cut short', '[{"specversion":"1.0"}'],
    ['compressed JSON that is no list', gzipSync('{}').toString('base64')],
    ['nothing', ''],
    [
      'a body that inflates without measure',
      gzipSync(Buffer.alloc(33 * 1024 * 1024)).toString('base64'),
    ],
  ])('is the whole body when it is %s', (_case, body) => {
    const { events, errors } = decodeBody(body);
    expect(events).toEqual([]);
    expect(errors).toEqual([
      { index: 0, field: '', message: expect.stringContaining('not a batch of events') },
    ]);
  });
});
