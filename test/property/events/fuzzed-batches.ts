import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { DeadLetter } from '#shared/messages/dead-letter.ts';
import { said } from '#test/hostile/events.ts';
import { RecordBench, type Recording } from '#test/hostile/record-bench.ts';

const SOURCES = ['wec/good', 'wec/bad'];
const VERSION = { epoch: 1, sequence: 1 };

/** Events as forwarders send them, of every type that a WEC has. */
const REAL: readonly string[] = [
  said('bad'),
  said('bad', { content: { type: 'heartbeat' } }),
  said('bad', { content: { type: 'snapshot', since: VERSION } }),
  said('bad', {
    content: {
      type: 'wec-object',
      wds: 'wds1',
      subject: { group: '', resource: 'pods', namespace: 'shop', name: 'p' },
      first: false,
    },
  }),
];

/** What a field may be replaced by: types, limits, names with a meaning in JavaScript, much of anything. */
const replacement = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    '',
    -1,
    1.5,
    2 ** 53,
    1e300,
    String(Number.MAX_SAFE_INTEGER),
    '/wec/good',
    '/wds/wds1',
    'wds1/apps/deployments/shop/web',
    'dev.starfold.snapshot.completed.v1',
    'x'.repeat(70_000),
    Array.from({ length: 60_000 }, () => 1),
  ),
);

/** A member somewhere in an event: how far down, and which one at each level. */
const place = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 });

interface Mutation {
  readonly place: readonly number[];
  readonly name: string | undefined;
  readonly value: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place,
  name: fc.option(
    fc.constantFrom('__proto__', 'constructor', 'status', 'spec', 'object', 'returned', 'x'),
    { nil: undefined },
  ),
  value: fc.option(replacement, { nil: undefined }),
});

/** Replaces, adds or (`undefined`) removes the member at a place. */
function mutate(event: unknown, { place: [first = 0, ...rest], name, value }: Mutation): unknown {
  if (typeof event !== 'object' || event === null) return value;
  const entries = Object.entries(event);
  const [key, inner] = entries[first % Math.max(entries.length, 1)] ?? ['x', null];
  const goesOn = rest.length > 0 && typeof inner === 'object' && inner !== null;
  const next = goesOn ? mutate(inner, { place: rest, name, value }) : value;
  const changed = goesOn ? key : (name ?? key);
  return Object.fromEntries([...entries.filter(([one]) => one !== changed), [changed, next]]);
}

const event = fc
  .tuple(fc.constantFrom(...REAL), fc.array(mutation, { maxLength: 3 }))
  .map(([text, mutations]) =>
    JSON.stringify(
      mutations.reduce<unknown>((one, change) => mutate(one, change), JSON.parse(text)),
    ),
  );

/** What is done to the text of a batch: something is put in the place of some characters. */
const damage = fc.record({
  at: fc.nat(),
  length: fc.nat({ max: 20 }),
  text: fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', '1.0', '\\u0001', '\u0000'),
  ),
});

type Envelope = 'plain' | 'gzip' | 'twice' | 'cut';

function enclosed(text: string, envelope: Envelope): string {
  const compressed = gzipSync(text, { level: 1 }).toString('base64');
  switch (envelope) {
    case 'plain':
      return text;
    case 'gzip':
      return compressed;
    case 'twice':
      return gzipSync(compressed).toString('base64');
    case 'cut':
      return compressed.slice(0, -compressed.length / 3);
  }
}

/** The body of a message that a hostile forwarder of a WEC sends. */
export const fuzzedBody: fc.Arbitrary<string> = fc
  .record({
    events: fc.array(event, { maxLength: 4 }),
    damages: fc.oneof(
      { weight: 3, arbitrary: fc.array(damage, { maxLength: 0 }) },
      { weight: 1, arbitrary: fc.array(damage, { maxLength: 3 }) },
    ),
    envelope: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom<Envelope>('plain', 'gzip') },
      { weight: 1, arbitrary: fc.constantFrom<Envelope>('twice', 'cut') },
    ),
  })
  .map(({ events, damages, envelope }) => {
    const text = damages.reduce(
      (one, { at, length, text: put }) => {
        const from = at % (one.length + 1);
        return one.slice(0, from) + put + one.slice(from + length);
      },
      `[${events.join(',')}]`,
    );
    return enclosed(text, envelope);
  });

/** What has become of fuzzed messages: of each is one of these. */
export type Outcome = 'recorded' | 'letter' | 'failed';

const CODES = ['unreadable', 'forged-sender', 'over-quota'];
const MAX_PUT_BYTES = 8 * 1024 * 1024;
const MAX_REASON_CHARACTERS = 303;
const MAX_REASONS = 11;

function letterFault(letter: DeadLetter | undefined): string | undefined {
  if (letter === undefined || !CODES.includes(letter.code)) return 'a letter cannot be read';
  if (letter.reasons.length > MAX_REASONS) return 'a letter has too many reasons';
  const isLong = letter.reasons.some(({ length }) => length > MAX_REASON_CHARACTERS);
  return isLong ? 'a letter has a long reason' : undefined;
}

function faultOf({ failed, letters, putBytes }: Recording): string | undefined {
  if (failed.includes('m1')) return 'the honest message failed';
  if (letters.length > 1) return 'the honest message has a letter';
  if (putBytes > MAX_PUT_BYTES) return `${putBytes} bytes were put`;
  return letters.map(letterFault).find((fault) => fault !== undefined);
}

async function recordingOf(body: string): Promise<{ recording: Recording; state: string }> {
  const bench = new RecordBench(SOURCES);
  const recording = await bench.run([
    { sender: 'bad', body },
    { sender: 'good', body: `[${said('good')}]` },
  ]);
  const rows = await bench.rows('W#wds1/apps/deployments/shop/web');
  if (!rows.some(({ wec, row }) => wec === 'good' && row?.status !== undefined))
    throw new Error('the honest message is not recorded');
  const state = JSON.stringify([recording, rows, bench.dirty.bodies], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return { recording, state };
}

/**
 * Has a fuzzed message and an honest one recorded, twice.
 *
 * @throws Error where the outcome is not one of those that are allowed, is not bounded, or is another one the second time
 */
export async function outcomeOf(body: string): Promise<Outcome> {
  const { recording, state } = await recordingOf(body);
  const fault = faultOf(recording);
  if (fault !== undefined) throw new Error(fault);
  if ((await recordingOf(body)).state !== state) throw new Error('the second time was another');
  if (recording.failed.length > 0) return 'failed';
  return recording.letters.length > 0 ? 'letter' : 'recorded';
}
