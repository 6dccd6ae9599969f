import { expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { rowOf } from '#local/cli/input/given-workload.ts';
import type { ReturnedObject } from '#shared/core/event.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { RETURNED_LIMITS } from '#shared/events/limits.ts';
import { rowKey } from '#shared/state/keys.ts';
import { decodeRow } from '#shared/state/rows.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const SUBJECT = { group: '', resource: 'pods', namespace: 'shop', name: 'web' };
const WORKLOAD = { wds: 'wds1', ...SUBJECT };

/** The row that an installation has after a WEC has returned this. */
async function recordedRow(returned: ReturnedObject) {
  const store = createMemoryItemStore();
  const event = encodeEvent({
    source: { type: 'wec', name: 'wec1' },
    version: { epoch: 1, sequence: 1 },
    time: '2026-01-01T00:00:00Z',
    content: { type: 'wec-object', wds: 'wds1', subject: SUBJECT, first: true, returned },
  });
  const { events } = decodeBatch(encodeBatch([event]));
  const queues = { dirty: new SentMessages(), hints: new SentMessages() };
  await recordEvents({ store, specs: createSpecStore(store), ...queues, clock: () => 0 }, events);
  const [item] = await store.get([rowKey(WORKLOAD, 'wec1')]);
  return item && decodeRow(item);
}

function evaluatedRow(returned: ReturnedObject) {
  const report = { wec: 'wec1', key: 'k', location: 'file', title: 'Pod shop/web', returned };
  return rowOf(WORKLOAD, report, new Map());
}

/** A value whose JSON has so many characters; each takes several bytes where that is asked. */
function ofCharacters(characters: number, letter = 'x'): JsonValue {
  return letter.repeat(characters - 2);
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const { characters, values, nesting } = RETURNED_LIMITS;

it.each([
  ['characters', ofCharacters(characters), ofCharacters(characters + 1)],
  [
    'characters of three bytes',
    ofCharacters(400_000, '\u{20ac}'),
    ofCharacters(characters + 1, '\u{20ac}'),
  ],
  ['values', Array.from({ length: values }, () => 1), Array.from({ length: values + 1 }, () => 1)],
  ['levels', nested(nesting), nested(nesting + 1)],
] as const)(
  'eval keeps what an installation keeps, up to the limit of %s',
  async (_limit, most, more) => {
    const base = { uid: 'u', generation: 1 };
    for (const [value, isKept] of [
      [most, true],
      [more, false],
    ] as const)
      for (const returned of [
        { ...base, status: value },
        { ...base, spec: value, status: { phase: 'Running' } },
      ]) {
        const recorded = await recordedRow(returned);
        expect(evaluatedRow(returned)).toEqual(recorded);
        expect(recorded?.oversizedBytes === undefined).toBe(isKept);
        expect(recorded?.row?.status).toEqual(isKept ? returned.status : undefined);
      }
  },
);

it('eval says of a status of 1.2 MB how large it is, as an installation does', async () => {
  const returned = { uid: 'u', generation: 1, status: ofCharacters(1_200_000) };
  expect(evaluatedRow(returned)).toEqual(await recordedRow(returned));
  expect(evaluatedRow(returned)).toMatchObject({ oversizedBytes: 1_200_000 });
});
