import { gzipSync } from 'node:zlib';
import { epochAt } from '#shared/core/epoch.ts';
import type { EventContent, ForwarderEvent } from '#shared/core/event.ts';
import { encodeEvent } from '#shared/events/codec.ts';
import { NOW_MS } from './record-bench.ts';

export const SUBJECT = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

const EPOCH = epochAt(NOW_MS);
const STATUS = '"status":{"phase":"Good"}';

/** An event of a WEC, as an honest forwarder sends it. */
export function said(wec: string, change: Partial<ForwarderEvent> = {}): string {
  const content: EventContent = {
    type: 'wec-object',
    wds: 'wds1',
    subject: SUBJECT,
    first: true,
    returned: { uid: 'u', generation: 1, status: { phase: 'Good' } },
  };
  return encodeEvent({
    source: { type: 'wec', name: wec },
    version: { epoch: EPOCH, sequence: 1 },
    time: '2026-08-01T10:00:00Z',
    content,
    ...change,
  });
}

function gzip(text: string): string {
  return gzipSync(text).toString('base64');
}

/** An event of the hostile WEC with a text in the place of its status. */
function withStatus(status: string): string {
  return said('bad').replace(STATUS, `"status":${status}`);
}

/** An event with some attributes set to what a forwarder never sends. */
function withAttributes(attributes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...JSON.parse(said('bad')), ...attributes });
}

function withReturned(fields: Readonly<Record<string, unknown>>): string {
  const event = JSON.parse(said('bad'));
  Object.assign(event.data.returned, fields);
  return JSON.stringify(event);
}

function snapshotSince(since: Readonly<Record<string, number>>): string {
  const type = 'dev.starfold.snapshot.completed.v1';
  return withAttributes({ type, subject: undefined, data: { since } });
}

function named(subject: string): string {
  return withAttributes({ subject });
}

/**
 * What becomes of an event: it is recorded as it is, recorded without what it returned, or refused with a letter, because
 * of a field of it or (`body`) as a batch that is none.
 */
export type Verdict = 'recorded' | 'oversized' | 'refused' | 'body';

/** A batch that is made to harm, as it is on the wire. */
export interface HostileBatch {
  readonly what: string;
  readonly body: () => string;
  readonly verdict: Verdict;
  /** A text of the letter's reasons. */
  readonly says?: RegExp;
}

function batch(event: string): string {
  return gzip(`[${event}]`);
}

function of(what: string, verdict: Verdict, event: () => string): HostileBatch {
  return { what, verdict, body: () => batch(event()) };
}

function refused(what: string, says: RegExp, event: () => string): HostileBatch {
  return { ...of(what, 'refused', event), says };
}

const DEEP = 100_000;

const BATCHES: readonly HostileBatch[] = [
  of('990,000 decimals', 'oversized', () => withStatus(`[${'1.5,'.repeat(990_000)}1]`)),
  of('decimals that are integers', 'oversized', () => withStatus(`[${'1.0,'.repeat(990_000)}1]`)),
  of('exponents', 'oversized', () => withStatus(`[${'1e1,'.repeat(990_000)}1]`)),
  of('empty objects', 'oversized', () => withStatus(`[${'{},'.repeat(990_000)}1]`)),
  of('49,000 decimals', 'recorded', () => withStatus(`[${'1.0,'.repeat(49_000)}1]`)),
  of('a number of a million digits', 'oversized', () => withStatus('1'.repeat(1_000_000))),
  of('a fraction of 1,000 digits', 'oversized', () => withStatus(`0.${'1'.repeat(1_000)}`)),
  of('a number of 400 digits', 'recorded', () => withStatus('1'.repeat(400))),
  of('100,000 lists', 'oversized', () => withStatus('['.repeat(DEEP) + ']'.repeat(DEEP))),
  of('100,000 objects', 'oversized', () =>
    withStatus(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  ),
  of('a text of 5 MB', 'oversized', () => withStatus(`"${'x'.repeat(5_000_000)}"`)),
  of('escapes that are short when they are read', 'oversized', () =>
    withStatus(`"${'\\u0061'.repeat(300_000)}"`),
  ),
  of('100,000 keys', 'oversized', () =>
    withStatus(`{${Array.from({ length: 100_000 }, (_key, index) => `"k${index}":1`).join(',')}}`),
  ),
  of('one key 100,000 times', 'oversized', () =>
    withStatus(`{${Array.from({ length: 100_000 }, () => '"k":1').join(',')}}`),
  ),
  of('keys of 1 MB', 'oversized', () => withStatus(`{"${'k'.repeat(1_100_000)}":1}`)),
  of('a status twice, the first a bomb', 'oversized', () =>
    said('bad').replace(STATUS, `"status":[${'1,'.repeat(60_000)}1],${STATUS}`),
  ),
  of('a status twice, the second a bomb', 'oversized', () =>
    said('bad').replace(STATUS, `${STATUS},"status":[${'1,'.repeat(60_000)}1]`),
  ),
  of('a name of the status in escapes', 'oversized', () =>
    said('bad').replace(STATUS, `"st\\u0061tus":[${'1,'.repeat(60_000)}1]`),
  ),
  of('a spec that is a bomb', 'oversized', () =>
    said('bad').replace(STATUS, `"spec":[${'1,'.repeat(60_000)}1],${STATUS}`),
  ),
  of('__proto__ in the status', 'recorded', () => withStatus('{"__proto__":{"polluted":true}}')),
  of('constructor in the status', 'recorded', () =>
    withStatus('{"constructor":{"prototype":{"polluted":true}}}'),
  ),
  of('brackets in a text', 'recorded', () => withStatus('"[[[{{{\\"]]]"')),
  of('half a character', 'recorded', () => withStatus('"\\ud800"')),
  refused('a bomb beside the status', /65536 characters/, () =>
    said('bad').replace(STATUS, `"more":[${'1.5,'.repeat(990_000)}1],${STATUS}`),
  ),
  refused('a bomb beside the data', /65536 characters/, () =>
    said('bad').replace('{', `{"more":[${'1.5,'.repeat(990_000)}1],`),
  ),
  refused('a bomb in an object where none belongs', /200000 values/, () =>
    said('bad').replace('"data":{', `"data":{"object":[${'1,'.repeat(250_000)}1],`),
  ),
  refused('an id of 300 KB', /65536 characters/, () => withAttributes({ id: 'i'.repeat(300_000) })),
  refused('an id of 1,000 characters', /id: must/, () => withAttributes({ id: 'i'.repeat(1_000) })),
  refused('a uid of 300 KB', /65536 characters/, () => withReturned({ uid: 'u'.repeat(300_000) })),
  refused('a uid of 129 characters', /returned\.uid/, () => withReturned({ uid: 'u'.repeat(129) })),
  refused('half a character in a uid', /returned\.uid/, () => withReturned({ uid: 'u\ud800' })),
  refused('half a character in an id', /id: must/, () => withAttributes({ id: 'i\udc00' })),
  refused('a negative generation', /returned\.generation/, () => withReturned({ generation: -1 })),
  refused('a generation of 1.5', /returned\.generation/, () => withReturned({ generation: 1.5 })),
  refused('a generation beyond 2^53', /returned\.generation/, () =>
    withReturned({ generation: 1e300 }),
  ),
  refused('a negative source generation', /sourceGeneration/, () =>
    withReturned({ sourceGeneration: -1 }),
  ),
  refused('a source UID of 129 characters', /returned\.sourceUid/, () =>
    withReturned({ sourceUid: 'u'.repeat(129) }),
  ),
  refused('a time of creation of 300 characters', /returned\.created/, () =>
    withReturned({ created: '9'.repeat(300) }),
  ),
  refused('a negative size', /oversizedBytes/, () => withReturned({ oversizedBytes: -5 })),
  refused('a time of 300 characters', /lastUpdate/, () =>
    withReturned({ lastUpdate: '9'.repeat(300) }),
  ),
  refused('the epoch 2^53-1', /receiver's clock/, () =>
    withAttributes({ epoch: String(Number.MAX_SAFE_INTEGER) }),
  ),
  refused('an epoch of two hours ahead', /receiver's clock/, () =>
    withAttributes({ epoch: String(epochAt(NOW_MS + 7_200_000)) }),
  ),
  refused('a negative epoch', /epoch: must/, () => withAttributes({ epoch: '-1' })),
  refused('the sequence 2^53-1', /sequence: must/, () =>
    withAttributes({ sequence: String(Number.MAX_SAFE_INTEGER) }),
  ),
  refused('a listing in a far epoch', /data\.since\.epoch/, () =>
    snapshotSince({ epoch: Number.MAX_SAFE_INTEGER, sequence: 0 }),
  ),
  refused('a listing in a far sequence', /data\.since\.sequence/, () =>
    snapshotSince({ epoch: 0, sequence: Number.MAX_SAFE_INTEGER }),
  ),
  refused('a name that leaves its path', /subject/, () => named('wds1/apps/deployments/shop/../x')),
  refused('a name with a line break', /subject/, () => named('wds1/apps/deployments/shop/a\nb')),
  refused('a WDS that is none', /subject/, () => named('w#1/apps/deployments/shop/web')),
  refused('the name of another WEC', /not registered/, () =>
    withAttributes({ source: '/wec/good' }),
  ),
  refused('the name of a WDS', /not registered/, () =>
    withAttributes({
      source: '/wds/wds1',
      data: { first: true, object: {} },
      subject: 'apps/deployments/shop/web',
    }),
  ),
  { what: 'a batch that is cut off', verdict: 'body', body: () => `[${said('bad')}`.slice(0, -9) },
  { what: 'gzip that is cut off', verdict: 'body', body: () => batch(said('bad')).slice(0, -40) },
  { what: 'gzip in gzip', verdict: 'body', body: () => gzip(batch(said('bad'))) },
  { what: '100 MB of blanks', verdict: 'body', body: () => gzip(' '.repeat(100_000_000)) },
  { what: '3,000,000 events', verdict: 'body', body: () => gzip(`[${'0,'.repeat(3_000_000)}0]`) },
  { what: 'a million brackets', verdict: 'body', body: () => gzip('['.repeat(1_000_000)) },
  { what: 'no JSON', verdict: 'body', body: () => '[NaN]' },
];

/** Some take long to make: each is made once. */
export const HOSTILE_BATCHES: readonly HostileBatch[] = BATCHES.map((one) => {
  let made: string | undefined;
  return {
    ...one,
    body: () => {
      made ??= one.body();
      return made;
    },
  };
});
