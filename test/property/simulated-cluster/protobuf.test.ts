import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyJson } from '#local/simulated-cluster/api-request.ts';
import kinds from '#local/simulated-cluster/protobuf-kinds.json' with { type: 'json' };
import { PROTOBUF_TYPE } from '#shared/api/review-protobuf.ts';
import { StatusError } from '#shared/api/status-error.ts';
import { isArray, isObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';
import { bodyOf, message, numbers } from '#test/unit/local/simulated-cluster/protobuf-body.ts';

const MAX_FIELDS = 200_000;
const MAX_BYTES = 3 * 2 ** 20;

/** The object that a body becomes, or the code of the answer. */
function outcome(body: Buffer): JsonValue {
  try {
    return bodyJson(PROTOBUF_TYPE, body);
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

/** The number of values, without the value itself. */
function size(value: JsonValue): number {
  const inner = isArray(value) ? value : Object.values(isObject(value) ? value : {});
  return inner.reduce<number>((sum, one) => sum + 1 + size(one), 0);
}

type Fields = Readonly<Record<string, readonly (string | number)[]>>;
const messages = kinds as unknown as Readonly<Record<string, Fields>>;

/** Kinds with lists, maps, raw JSON, messages that belong to others, and values in another form. */
const KINDS = [
  ['v1', 'Secret', 'core/v1.Secret'],
  ['v1', 'Pod', 'core/v1.Pod'],
  ['v1', 'ResourceQuota', 'core/v1.ResourceQuota'],
  ['apps/v1', 'ControllerRevision', 'apps/v1.ControllerRevision'],
  ['networking.k8s.io/v1', 'Ingress', 'networking/v1.Ingress'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'rbac/v1.ClusterRole'],
] as const;

/** One field, whose value is of the right type, or a text. */
function field(number: number, type: string, depth: number): fc.Arbitrary<Uint8Array> {
  const one = type.replace(/^\[\]/, '');
  if (one === 'int' || one === 'bool')
    return fc.integer({ min: 0, max: 3 }).map((value) => numbers([number, value]));
  const text = fc.constantFrom('', 'a', '{}', '\u0001');
  const wrap = (value: string | Uint8Array): Uint8Array => message({ [number]: value });
  if (one === 'string' || one === 'bytes') return text.map(wrap);
  if (one.startsWith('{}'))
    return fc
      .array(fc.oneof(field(1, 'string', 0), field(2, one.slice(2), depth)), { maxLength: 3 })
      .map((parts) => wrap(Buffer.concat(parts)));
  return fieldsOf(one, depth - 1).map(wrap);
}

/** A message of a type. */
function fieldsOf(type: string, depth: number): fc.Arbitrary<Uint8Array> {
  const known = Object.entries(messages[type] ?? {});
  if (depth < 0 || known.length === 0)
    return fc.constantFrom(new Uint8Array(), message({ 1: '1' }), numbers([1, 1]));
  const one = fc
    .constantFrom(...known)
    .chain(([number, [, of]]) => field(Number(number), String(of), depth));
  return fc.array(one, { maxLength: 5 }).map((parts) => Buffer.concat(parts));
}

const body = fc
  .constantFrom(...KINDS)
  .chain(([apiVersion, kind, type]) =>
    fieldsOf(type, 5).map((raw) => bodyOf(apiVersion, kind, raw)),
  );

/** A body with a byte that is replaced. */
const damaged = fc.tuple(body, fc.nat(), fc.nat(255)).map(([whole, at, byte]) => {
  const copy = Buffer.from(whole);
  copy[4 + (at % (copy.length - 4))] = byte;
  return copy;
});

it('any bytes become an object within the limits, or are rejected', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.oneof(body, damaged), (bytes) => {
      const found = outcome(bytes);
      const what = typeof found === 'number' ? String(found) : `object ${size(found) > 6}`;
      seen.set(what, (seen.get(what) ?? 0) + 1);
      // 415: the damage has made another kind.
      if (typeof found === 'number') expect([400, 413, 415]).toContain(found);
      else expect(stringifyJson(found)).not.toContain('undefined');
    }),
    { numRuns: histories({ first: 1_000, all: 3_000 }) },
  );
  // The bytes are neither all malformed nor all empty.
  for (const what of ['400', 'object true']) expect(seen.get(what), what).toBeGreaterThan(200);
});

/** Where one tiny field can stand very often: the kind, the fields around it, its bytes, and how many fields it counts as. */
const REPEATED: readonly {
  readonly what: string;
  readonly kind: readonly [apiVersion: string, kind: string];
  readonly around: readonly number[];
  readonly one: Uint8Array;
  readonly fields: number;
}[] = [
  {
    what: 'messages in a list',
    kind: ['v1', 'Pod'],
    around: [2],
    one: message({ 2: '' }),
    fields: 1,
  },
  {
    what: 'messages with a list that is null',
    kind: ['rbac.authorization.k8s.io/v1', 'Role'],
    around: [],
    one: message({ 2: '' }),
    fields: 2,
  },
  {
    what: 'entries of a map without a key',
    kind: ['v1', 'ConfigMap'],
    around: [],
    one: message({ 2: '' }),
    fields: 1,
  },
  {
    what: 'entries of a map',
    kind: ['v1', 'Secret'],
    around: [],
    one: message({ 2: message({ 1: 'a', 2: '' }) }),
    fields: 3,
  },
  { what: 'texts', kind: ['v1', 'Namespace'], around: [1], one: message({ 14: '' }), fields: 1 },
  {
    what: 'a message that is replaced',
    kind: ['v1', 'Pod'],
    around: [],
    one: message({ 2: '' }),
    fields: 2,
  },
  {
    what: 'messages in messages',
    kind: ['v1', 'Pod'],
    around: [2],
    one: message({ 2: message({ 6: message({ 1: '' }) }) }),
    fields: 3,
  },
  {
    what: 'integers',
    kind: ['v1', 'Pod'],
    around: [2, 14],
    one: Uint8Array.of(4 << 3, 0),
    fields: 1,
  },
];

it.each(REPEATED)(
  'counts $what before they are made',
  ({ kind: [apiVersion, name], around, one, fields }) => {
    const repeated = (count: number): Buffer => {
      let raw: Uint8Array = Buffer.alloc(count * one.length, one);
      for (const field of around.toReversed()) raw = message({ [field]: raw });
      return bodyOf(apiVersion, name, raw);
    };
    // The fields around: those given, four of the type and the raw object, and the list of containers, null if empty.
    const free = MAX_FIELDS - 20;
    const fitting = outcome(repeated(Math.floor(free / fields)));
    expect(fitting).toBeTypeOf('object');
    expect(size(fitting)).toBeLessThanOrEqual(MAX_FIELDS);
    expect(stringifyJson(fitting).length).toBeLessThanOrEqual(MAX_BYTES);
    expect(outcome(repeated(Math.ceil((MAX_FIELDS + 1) / fields)))).toBe(413);
    expect(outcome(repeated(Math.floor(3_000_000 / one.length)))).toBe(413);
  },
);

it('counts fields of the type, which are around the object', () => {
  const type = Buffer.alloc(3_000_000, message({ 1: '' }));
  expect(outcome(Buffer.concat([Buffer.from('k8s\0'), type]))).toBe(413);
});

it('rejects numbers in the packed form, which no client of Kubernetes writes', () => {
  const groups = message({ 4: Buffer.alloc(1000) });
  expect(outcome(bodyOf('v1', 'Pod', message({ 2: message({ 14: groups }) })))).toBe(400);
});
