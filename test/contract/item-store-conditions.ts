import { describe, expect, it } from 'vitest';
import type { Item, PutCondition } from '#shared/ports/item-store.ts';
import type { ItemStoreScope } from './item-store-query.ts';

/** What the port promises of conditional puts. */
export function describeConditions(scope: ItemStoreScope): void {
  describe('conditions', () => {
    const absent: PutCondition = { type: 'absent' };
    const newer: PutCondition = { type: 'newer' };
    const succeeds: PutCondition = { type: 'succeeds' };
    const unchanged = (version: string): PutCondition => ({ type: 'unchanged', version });

    interface Case {
      readonly name: string;
      /** Attributes of the item that is there; absent: there is none. */
      readonly stored?: Partial<Item>;
      readonly condition: PutCondition;
      /** Attributes of the item that is put. */
      readonly put: Partial<Item>;
      readonly holds: boolean;
    }
    const put = { version: '2' };
    it.each<Case>([
      { name: 'absent: no item', condition: absent, put, holds: true },
      { name: 'absent: an item', stored: { version: '1' }, condition: absent, put, holds: false },
      { name: 'absent: one without version', stored: {}, condition: absent, put, holds: false },
      { name: 'newer: no item', condition: newer, put, holds: true },
      { name: 'newer: one without version', stored: {}, condition: newer, put, holds: true },
      {
        name: 'newer: a smaller one',
        stored: { version: '1' },
        condition: newer,
        put,
        holds: true,
      },
      { name: 'newer: the same', stored: { version: '2' }, condition: newer, put, holds: false },
      {
        name: 'newer: a greater one',
        stored: { version: '3' },
        condition: newer,
        put,
        holds: false,
      },
      {
        name: 'newer: compared as text',
        stored: { version: '10' },
        condition: newer,
        put: { version: '9' },
        holds: true,
      },
      {
        name: 'newer: a prefix is smaller',
        stored: { version: '2' },
        condition: newer,
        put: { version: '20' },
        holds: true,
      },
      {
        name: 'newer: compared by bytes',
        stored: { version: '\uffff' },
        condition: newer,
        put: { version: '\u{10000}' },
        holds: scope.versionOrder === 'utf-8',
      },
      {
        name: 'newer: without a version, one without version',
        stored: {},
        condition: newer,
        put: {},
        holds: true,
      },
      {
        name: 'newer: without a version, one with a version',
        stored: { version: '1' },
        condition: newer,
        put: {},
        holds: false,
      },
      { name: 'succeeds: no item', condition: succeeds, put, holds: false },
      { name: 'succeeds: one without version', stored: {}, condition: succeeds, put, holds: true },
      {
        name: 'succeeds: a smaller one',
        stored: { version: '1' },
        condition: succeeds,
        put,
        holds: true,
      },
      {
        name: 'succeeds: a smaller one, by one that expires',
        stored: { version: '1' },
        condition: succeeds,
        put: { version: '2', expiresAt: 4_000_000_000 },
        holds: true,
      },
      {
        name: 'succeeds: a smaller one that expires',
        stored: { version: '1', expiresAt: 4_000_000_000 },
        condition: succeeds,
        put,
        holds: false,
      },
      {
        name: 'succeeds: the same',
        stored: { version: '2' },
        condition: succeeds,
        put,
        holds: false,
      },
      {
        name: 'succeeds: a greater one',
        stored: { version: '3' },
        condition: succeeds,
        put,
        holds: false,
      },
      {
        name: 'succeeds: without a version, one without version',
        stored: {},
        condition: succeeds,
        put: {},
        holds: true,
      },
      {
        name: 'succeeds: without a version, one with a version',
        stored: { version: '1' },
        condition: succeeds,
        put: {},
        holds: false,
      },
      { name: 'unchanged: no item', condition: unchanged('1'), put, holds: false },
      {
        name: 'unchanged: one without version',
        stored: {},
        condition: unchanged('1'),
        put,
        holds: false,
      },
      {
        name: 'unchanged: the version',
        stored: { version: '1' },
        condition: unchanged('1'),
        put,
        holds: true,
      },
      {
        name: 'unchanged: another version',
        stored: { version: '3' },
        condition: unchanged('1'),
        put,
        holds: false,
      },
      {
        name: 'unchanged: then without a version',
        stored: { version: '1' },
        condition: unchanged('1'),
        put: {},
        holds: true,
      },
    ])('$name: $holds', async ({ stored, condition, put, holds }) => {
      const key = { pk: scope.partition(), sk: 'one' };
      const before = stored && { ...key, body: 'stored', ...stored };
      const item = { ...key, body: 'put', ...put };
      if (before) await scope.store.put([{ item: before }]);
      expect(await scope.store.put([{ item, condition }])).toEqual([holds]);
      expect(await scope.store.get([key])).toEqual([holds ? item : before]);
    });

    it('says for each put of a batch, in order, whether it took effect', async () => {
      const pk = scope.partition();
      await scope.store.put([{ item: { pk, sk: 'b', version: '5' } }]);
      const puts = ['a', 'b', 'c'].map((sk) => ({
        item: { pk, sk, version: '1' },
        condition: newer,
      }));
      expect(await scope.store.put(puts)).toEqual([true, false, true]);
      expect(
        (await scope.store.get(puts.map(({ item }) => item))).map((item) => item?.version),
      ).toEqual(['1', '5', '1']);
    });

    it('lets exactly one of several writers of one version win', async () => {
      const key = { pk: scope.partition(), sk: 'one' };
      await scope.store.put([{ item: { ...key, version: '1' } }]);
      const outcomes = await Promise.all(
        ['a', 'b', 'c', 'd'].map((body) =>
          scope.store.put([{ item: { ...key, version: '2', body }, condition: unchanged('1') }]),
        ),
      );
      expect(outcomes.flat().filter((won) => won)).toHaveLength(1);
    });
  });
}
