import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import { wecHash } from '#shared/state/keys.ts';
import { createSharder, shardCount, shardHashes, shardOf } from '#shared/state/shards.ts';

const POWERS = Array.from({ length: 17 }, (_power, exponent) => 2 ** exponent);

describe('shardCount', () => {
  it.each([
    [0, 1],
    [1, 1],
    [128, 1],
    [129, 16],
    [300, 16],
    [1000, 32],
    [10_000, 128],
    [100_000, 256],
  ])('of %i destinations is %i', (destinations, shards) => {
    expect(shardCount(destinations)).toBe(shards);
  });

  it('begins where it is told to', () => {
    expect([shardCount(2, 2), shardCount(3, 2)]).toEqual([1, 2]);
  });

  it('is a power of two near the square root', () => {
    fc.assert(
      fc.property(fc.integer({ min: 129, max: 10_000_000 }), (destinations) => {
        const ratio = shardCount(destinations) / Math.sqrt(destinations);
        expect(POWERS).toContain(shardCount(destinations));
        expect(ratio).toBeGreaterThan(0.7);
        expect(ratio).toBeLessThan(1.42);
      }),
    );
  });
});

describe('shardHashes', () => {
  it.each(POWERS)('of %i shards partition all hashes, in order', (shards) => {
    let next = 0;
    for (let shard = 0; shard < shards; shard += 1) {
      const { from, to } = shardHashes(shard, shards);
      expect([from, from.length, to.length]).toEqual([next.toString(16).padStart(8, '0'), 8, 8]);
      next = Number.parseInt(to, 16) + 1;
    }
    expect(next).toBe(2 ** 32);
  });

  it('hold exactly the WECs of their shard', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...POWERS), (wec, shards) => {
        const { from, to } = shardHashes(shardOf(wec, shards), shards);
        expect(from <= wecHash(wec) && wecHash(wec) <= to).toBe(true);
      }),
    );
  });
});

describe('createSharder', () => {
  const names = (first: number, count: number): string[] =>
    Array.from({ length: count }, (_name, index) => `wec${first + index}`);

  it('puts each WEC of overlapping lists into its shard, once', () => {
    const shard = createSharder(4);
    const lists = [createDestinations('a', names(0, 30)), createDestinations('b', names(20, 30))];
    const sharded = shard(lists);
    expect(sharded.shards).toBe(8);
    expect(sharded.wecs.flat().sort()).toEqual(names(0, 50).sort());
    for (const [index, wecs] of sharded.wecs.entries())
      for (const wec of wecs) expect(shardOf(wec, 8)).toBe(index);
  });

  it('has one shard for no list, and for a small one', () => {
    const shard = createSharder();
    expect(shard([])).toEqual({ shards: 1, wecs: [[]] });
    expect(shard([createDestinations('a', ['wec1'])])).toEqual({ shards: 1, wecs: [['wec1']] });
  });

  it('remembers lists by their hashes, also after it has forgotten some', () => {
    const shard = createSharder();
    const list = createDestinations('kept', ['wec1']);
    const first = shard([list]);
    expect(shard([list])).toBe(first);
    for (let index = 0; index < 60; index += 1) shard([createDestinations(`${index}`, [])]);
    expect(shard([list])).toEqual(first);
  });
});
