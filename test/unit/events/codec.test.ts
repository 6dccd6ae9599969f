import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_NESTING } from '#shared/core/bounded-depth.ts';
import { MAX_EPOCH_AHEAD_MS } from '#shared/core/epoch.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import { decodeBatch, encodeBatch, encodeEvent, PLAIN_BODY_BYTES } from '#shared/events/codec.ts';
import { BODY_LIMITS, ENVELOPE_LIMITS, OBJECT_LIMITS } from '#shared/events/limits.ts';
import {
  EVENT_RULES,
  faultyEvent,
  futureEpoch,
  largeBatch,
  largeInventory,
  longEvent,
  manyValues,
  moreFaultyEvents,
  notABatch,
} from '#shared/events/messages.ts';

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
    sourceUid: 'u0',
    created: '2026-08-01T09:00:00Z',
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
  [
    'a heartbeat with the version of the forwarder',
    event({ type: 'heartbeat', forwarderVersion: '1.2.0-rc.1+20261127' }),
  ],
  [
    'the labels of a WEC',
    event({
      type: 'inventory',
      hub: 'its1',
      inventory: { labels: { region: 'eu' }, annotations: { 'example.com/a': '' } },
    }),
  ],
  ['that a WEC has no labels', event({ type: 'inventory' })],
  [
    'the end of a listing of a hub',
    event({ type: 'hub-snapshot', since: { epoch: 3, sequence: 7 } }),
  ],
];

describe('events and their message', () => {
  it.each(EVENTS)('carries %s unchanged', (_case, original) => {
    const decoded = decodeBatch(encodeBatch([encodeEvent(original)]));
    expect(decoded).toMatchObject({ events: [original], errors: [], refused: 0 });
  });

  it('is a CloudEvents 1.0 JSON batch', () => {
    expect(parseJson(encodeBatch([encodeEvent(event({ type: 'heartbeat' }))]))).toEqual([
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
    const body = encodeBatch([encodeEvent(large)]);
    expect(body.startsWith('[')).toBe(false);
    expect(body.length).toBeLessThan(PLAIN_BODY_BYTES);
    expect(decodeBatch(body).events).toEqual([large]);
    expect(encodeBatch([encodeEvent(CHANGED)]).startsWith('[')).toBe(true);
  });
});

describe('the labels of a WEC', () => {
  const LABELS = { labels: { region: 'eu' }, annotations: {} };
  const HUB = { type: 'inventory', hub: 'its1' } as const;

  it.each([
    ['of a WDS', event({ ...HUB, inventory: LABELS }, WDS), `type: ${EVENT_RULES.inventory}`],
    [
      'beyond 8 KiB',
      event({ ...HUB, inventory: { ...LABELS, labels: { a: 'x'.repeat(8_150), b: 'y' } } }),
      `data.inventory: ${largeInventory(8_192)}`,
    ],
    [
      'that are no texts',
      event({ ...HUB, inventory: { ...LABELS, labels: { region: 1 as never } } }),
      'data.inventory.labels.region',
    ],
    ['of a hub without a name', event({ ...HUB, hub: 'a/b' }), `data.hub: ${EVENT_RULES.hub}`],
    [
      'of which the hub is no WEC',
      event({ type: 'hub-snapshot', since: { epoch: 1, sequence: 1 } }, WDS),
      `type: ${EVENT_RULES.inventory}`,
    ],
  ])('are refused: %s', (_which, refused, says) => {
    const { events, errors } = decodeBatch(encodeBatch([encodeEvent(refused)]));
    expect(events).toEqual([]);
    expect(errors).toMatchObject([{ message: expect.stringContaining(says) }]);
  });
});

function broken(change: JsonObject, drop: readonly string[] = []): string {
  const whole = parseJson(encodeEvent(CHANGED)) as JsonObject; // encodeEvent writes an object.
  const kept = Object.fromEntries(Object.entries(whole).filter(([key]) => !drop.includes(key)));
  return JSON.stringify([{ ...kept, ...change }], (_key, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
}

describe('names that Kubernetes allows', () => {
  it.each([
    ['a role with a colon', 'w/rbac.authorization.k8s.io/clusterroles//system:node-proxier'],
    ['a role with a bar and a blank', 'w/rbac.authorization.k8s.io/roles/kube-system/a|b c#d'],
    ['a name beyond ASCII', `w//configmaps/n/${'é'.repeat(253)}`],
    ['a resource and a namespace of 63 characters', `w//${'r'.repeat(63)}/${'n'.repeat(63)}/x`],
    [
      'the longest that there are',
      `${'w'.repeat(100)}/${'g.'.repeat(100)}io/r/${'n'.repeat(63)}/${'x'.repeat(253)}`,
    ],
  ])('are used: %s', (_case, subject) => {
    const { events, errors } = decodeBatch(broken({ subject, source: '/wec/a:B@c.d_e-1' }));
    expect(errors).toEqual([]);
    const [wds, group, resource, namespace, name] = subject.split('/');
    expect(events[0]?.content).toMatchObject({
      wds,
      subject: { group, resource, namespace, name },
    });
  });
});

/** A list in a list ..., so many of them. */
function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

function withStatus(status: string): string {
  return encodeEvent(CHANGED).replace('"status":null', `"status":${status}`);
}

describe('a body that is made to exhaust its reader', () => {
  it('by elements is refused as a whole, and makes one error', () => {
    const elements = (count: number): string =>
      `[${Array.from({ length: count }, () => '0').join(',')}]`;
    expect(decodeBatch(elements(BODY_LIMITS.events)).refused).toBe(BODY_LIMITS.events);
    const compressed = gzipSync(elements(BODY_LIMITS.events + 1)).toString('base64');
    expect(compressed.length).toBeLessThan(1_000);
    expect(decodeBatch(compressed)).toMatchObject({
      events: [],
      errors: [{ message: notABatch(largeBatch(BODY_LIMITS.events, BODY_LIMITS.valuesOfSeveral)) }],
      refused: 1,
    });
  });

  it('by values in several events is refused as a whole, and one object may have more', () => {
    const status = `[${'{},'.repeat(20_000)}{}]`;
    const events = Array.from({ length: 3 }, () => withStatus(status));
    const body = gzipSync(`[${events.join(',')}]`).toString('base64');
    expect(decodeBatch(body)).toMatchObject({
      events: [],
      errors: [{ message: notABatch(largeBatch(BODY_LIMITS.events, BODY_LIMITS.valuesOfSeveral)) }],
      refused: 1,
    });
    expect(decodeBatch(`[${events.slice(0, 2).join(',')}]`)).toMatchObject({ refused: 0 });
    const empty = event({ type: 'wds-object', subject: SUBJECT, first: true, object: {} }, WDS);
    const large = `{"a":[${'1,'.repeat(BODY_LIMITS.valuesOfSeveral)}1]}`;
    const one = encodeEvent(empty).replace('"object":{}', `"object":${large}`);
    expect(decodeBatch(`[${one}]`)).toMatchObject({ refused: 0 });
  });

  it('by values in an object of a WDS has that event refused alone', () => {
    const object = `[${'1,'.repeat(OBJECT_LIMITS.values)}1]`;
    const good = event({ type: 'wds-object', subject: SUBJECT, first: true, object: {} }, WDS);
    const text = encodeEvent(good);
    const bad = text.replace('"object":{}', `"object":{"a":${object}}`);
    expect(decodeBatch(`[${text},${bad},${text}]`)).toMatchObject({
      events: [good, good],
      errors: [
        { index: 1, field: '', message: expect.stringContaining(manyValues(OBJECT_LIMITS.values)) },
      ],
    });
  });

  it('by events that cannot be used has a hundred of them explained, and those that can be are used', () => {
    const { events, errors, refused } = decodeBatch(
      `[${'0,'.repeat(5_000)}${encodeEvent(CHANGED)}]`,
    );
    expect(events).toEqual([CHANGED]);
    expect(refused).toBe(5_000);
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)?.message).toBe(moreFaultyEvents(4_900));
    expect(errors.every((error) => !(error instanceof Error))).toBe(true);
  });

  it.each([
    ['a list', nested],
    ['an object', (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
    // A number that needs its spelling has the text parsed in another way.
    ['a list with 1.0', (levels: number) => `${'['.repeat(levels)}1.0${']'.repeat(levels)}`],
    ['brackets in texts', (levels: number) => `["[[\\"[[",${nested(levels - 1)}]`],
  ])(
    'by nesting has its status left out beyond 500 levels, in %s, and the others of its batch have not',
    (_what, make) => {
      const deep = decodeBatch(`[${withStatus(make(MAX_NESTING))}]`);
      expect(deep.errors).toEqual([]);
      const good = encodeEvent(CHANGED);
      for (const levels of [MAX_NESTING + 1, 100_000]) {
        const status = make(levels);
        const { events, errors } = decodeBatch(`[${good}, ${withStatus(status)} ,${good}]`);
        expect(errors).toEqual([]);
        expect([events[0], events[2]]).toEqual([CHANGED, CHANGED]);
        const returned = { oversizedBytes: status.length, uid: 'u1' };
        expect(events[1]).toMatchObject({ content: { returned } });
        expect(events[1]).not.toHaveProperty('content.returned.status');
      }
    },
  );

  it('by nesting may go a hundred levels further in a WDS: a CombinedStatus has a status in it', () => {
    const told = (levels: number): string =>
      encodeEvent(
        event({ type: 'wds-object', subject: SUBJECT, first: true, object: { results: 0 } }, WDS),
      ).replace('"results":0', `"results":${nested(levels)}`);
    const { events, errors } = decodeBatch(`[${told(600)},${told(601)}]`);
    expect(events).toHaveLength(1);
    expect(errors).toMatchObject([{ index: 1 }]);
  });

  it.each([
    ['that does not end', '['.repeat(1_000_000)],
    ['that ends too often', `[1${']'.repeat(1_000_000)}`],
    ['with a text that does not end', `[{"id":"${'\\'.repeat(100_000)}`],
    ['that is no list', `{"a":1.0,"b":${nested(100_000)}}`],
  ])('by nesting %s is refused as a whole', (_case, body) => {
    const compressed = gzipSync(body).toString('base64');
    for (const form of [body, compressed]) expect(decodeBatch(form)).toMatchObject({ refused: 1 });
  });

  it('is told from one that a forwarder may send: an object of 3 MB', () => {
    const data = Object.fromEntries(
      Array.from({ length: 30_000 }, (_entry, index) => [`key-${index}`, 'x'.repeat(80)]),
    );
    const object = { kind: 'ConfigMap', data };
    const large = event({ type: 'wds-object', subject: SUBJECT, first: true, object }, WDS);
    expect(encodeEvent(large).length).toBeGreaterThan(2_700_000);
    expect(decodeBatch(encodeBatch([encodeEvent(large)])).events).toEqual([large]);
  });
});

describe('an event that cannot be used', () => {
  it.each([
    ['specversion', broken({ specversion: '0.3' }), 'specversion'],
    ['a missing source', broken({}, ['source']), 'source'],
    ['an unknown kind of source', broken({ source: '/its/a' }), 'source'],
    ['an unknown type', broken({ type: 'dev.starfold.object.changed.v9' }), 'type'],
    ['a time that is none', broken({ time: 'yesterday' }), 'time'],
    ['an epoch that is a number', broken({ epoch: 3 }), 'epoch'],
    ['a sequence that no forwarder reaches', broken({ sequence: String(2 ** 40 + 1) }), 'sequence'],
    ['an epoch of a million digits', broken({ epoch: '0'.repeat(60_000) }), 'epoch'],
    ['a time of 50 characters', broken({ time: `2026-01-01T00:00:00.${'0'.repeat(30)}Z` }), 'time'],
    ['a sequence beyond 2^53', broken({ sequence: '90071992547409930' }), 'sequence'],
    ['a subject with too few parts', broken({ subject: 'apps/deployments' }), 'subject'],
    ['no subject', broken({}, ['subject']), 'subject'],
    [
      'a subject with too many parts',
      broken({ subject: 'w/apps/deployments/n/web/scale' }),
      'subject',
    ],
    ['a source with a "|" in its name', broken({ source: '/wec/a|b' }), 'source'],
    ['a source whose name is too long', broken({ source: `/wec/${'a'.repeat(254)}` }), 'source'],
    [
      'a WDS with a space in its name',
      broken({ subject: 'w 1/apps/deployments/n/web' }),
      'subject',
    ],
    ['a group in capitals', broken({ subject: 'w/Apps/deployments/n/web' }), 'subject'],
    ['a group that is too long', broken({ subject: `w/${'a'.repeat(254)}/d/n/web` }), 'subject'],
    ['a resource in capitals', broken({ subject: 'w/apps/Deployment/n/web' }), 'subject'],
    ['a resource that is too long', broken({ subject: `w//${'a'.repeat(64)}/n/web` }), 'subject'],
    ['a namespace with a dot', broken({ subject: 'w/apps/deployments/a.b/web' }), 'subject'],
    [
      'a namespace that is too long',
      broken({ subject: `w//pods/${'a'.repeat(64)}/web` }),
      'subject',
    ],
    ['an object without a name', broken({ subject: 'w/apps/deployments/n/' }), 'subject'],
    ['an object called "."', broken({ subject: 'w/apps/deployments/n/.' }), 'subject'],
    ['an object called ".."', broken({ subject: 'w/apps/deployments/n/..' }), 'subject'],
    [
      'a "%" in the name of an object',
      broken({ subject: 'w/apps/deployments/n/a%2fb' }),
      'subject',
    ],
    ['a line break in a name', broken({ subject: 'w/apps/deployments/n/a\nb' }), 'subject'],
    ['a character in a name that turns it', broken({ subject: 'w//pods/n/a\u202eb' }), 'subject'],
    ['half a character in a name', broken({ subject: 'w//pods/n/a\ud800' }), 'subject'],
    ['a name that SQS does not take', broken({ subject: 'w//pods/n/a\uffff' }), 'subject'],
    ['a name that is too long', broken({ subject: `w//pods/n/${'a'.repeat(254)}` }), 'subject'],
    [
      'names that are too long together',
      broken({
        subject: `${'a'.repeat(253)}//pods/n/${'é'.repeat(253)}`,
        source: `/wec/${'a'.repeat(253)}`,
      }),
      'subject',
    ],
    [
      'a listing that began before the first',
      broken({
        type: 'dev.starfold.snapshot.completed.v1',
        data: { since: { epoch: -1, sequence: 0 } },
      }),
      'data.since.epoch',
    ],
    ...(['', '1.0 beta', '1'.repeat(65), '1.0\n', 1] as const).map(
      (forwarderVersion): [string, string, string] => [
        `a forwarder's version ${JSON.stringify(forwarderVersion)}`,
        broken({ type: 'dev.starfold.heartbeat.v1', data: { forwarderVersion } }),
        'data.forwarderVersion',
      ],
    ),
    ['data without the object', broken({ data: { first: true } }), 'data.returned'],
    ['no data', broken({}, ['data']), 'data'],
    [
      'a negative generation',
      broken({ data: { first: true, returned: { uid: 'u', generation: -1 } } }),
      'data.returned.generation',
    ],
    [
      'a uid of 200 characters',
      broken({ data: { first: true, returned: { uid: 'u'.repeat(200), generation: 1 } } }),
      'data.returned.uid',
    ],
    [
      'half a character in a uid',
      broken({ data: { first: true, returned: { uid: 'u\ud800', generation: 1 } } }),
      'data.returned.uid',
    ],
    [
      'half a character in the time of an update',
      broken({
        data: { first: true, returned: { uid: 'u', generation: 1, lastUpdate: '\udc00' } },
      }),
      'data.returned.lastUpdate',
    ],
    [
      'a listing that began in a sequence that no forwarder reaches',
      broken({
        type: 'dev.starfold.snapshot.completed.v1',
        data: { since: { epoch: 1, sequence: 2 ** 41 } },
      }),
      'data.since.sequence',
    ],
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
    const { events, errors } = decodeBatch(body);
    expect(events).toEqual([]);
    expect(errors).toMatchObject([
      { index: 0, id: '3.12', field, message: expect.stringMatching(/^event 3\.12: .+: .*must/) },
    ]);
  });

  it('with an id that is too long is named by the beginning of it', () => {
    const { errors } = decodeBatch(broken({ id: 'i'.repeat(300) }));
    expect(errors).toMatchObject([{ index: 0, id: 'i'.repeat(256), field: 'id' }]);
  });

  it('with a uid of 300 KB is not even parsed', () => {
    const data = { first: true, returned: { uid: 'u'.repeat(300_000), generation: 1 } };
    expect(decodeBatch(broken({ data })).errors).toEqual([
      {
        index: 0,
        field: '',
        message: faultyEvent(
          { index: 0, id: undefined, field: '' },
          longEvent(ENVELOPE_LIMITS.characters),
        ),
      },
    ]);
  });

  it.each(['epoch', 'since'])(
    'with an %s more than an hour ahead of the receiver is refused',
    (of) => {
      const nowMs = Date.parse('2026-08-01T10:00:00Z');
      const hear = (epoch: number) =>
        decodeBatch(
          of === 'epoch'
            ? broken({ epoch: String(epoch) })
            : broken({
                type: 'dev.starfold.snapshot.completed.v1',
                data: { since: { epoch, sequence: 0 } },
              }),
          nowMs,
        );
      const last = (nowMs / 1_000 + 3_601) * 2 ** 20 - 1;
      expect(hear(last).errors).toEqual([]);
      expect(hear(last + 1).errors).toMatchObject([
        {
          field: of === 'epoch' ? 'epoch' : 'data.since.epoch',
          message: expect.stringContaining(futureEpoch(last, MAX_EPOCH_AHEAD_MS)),
        },
      ]);
    },
  );

  it('without an id is named by its place', () => {
    const { errors } = decodeBatch(broken({}, ['id']));
    expect(errors).toMatchObject([
      {
        index: 0,
        field: 'id',
        message: faultyEvent({ index: 0, id: undefined, field: 'id' }, EVENT_RULES.id),
      },
    ]);
  });

  it('does not hide the others of its batch', () => {
    const good = encodeEvent(CHANGED);
    const { events, errors } = decodeBatch(`[7,${good},{"id":"x"},${good}]`);
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
      gzipSync(Buffer.alloc(BODY_LIMITS.inflatedBytes + 1)).toString('base64'),
    ],
  ])('is the whole body when it is %s', (_case, body) => {
    const { events, errors } = decodeBatch(body);
    expect(events).toEqual([]);
    expect(errors).toEqual([
      { index: 0, field: '', message: expect.stringContaining('not a batch of events') },
    ]);
  });
});
