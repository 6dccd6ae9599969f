import { describe, expect, it } from 'vitest';
import { AWS } from '#test/bench/aws-scale/assumptions.ts';
import { Partitions, UnitBucket } from '#test/bench/aws-scale/throughput.ts';

const WRITE = { type: 'write', units: 100 } as const;

/** Takes units of a bucket if it has any left. */
function taken(bucket: UnitBucket, units: number, nowMs: number): boolean {
  const hasLeft = bucket.hasLeft(nowMs);
  if (hasLeft) bucket.take(units);
  return hasLeft;
}

describe('a bucket of units', () => {
  it('gives what it has in a second, and then throttles', () => {
    const bucket = new UnitBucket(1_000, 0);
    const served = Array.from({ length: 12 }, () => taken(bucket, 100, 0));
    expect(served.filter(Boolean)).toHaveLength(10);
  });

  it('lets a request exceed what is left, and has later requests wait for that', () => {
    const bucket = new UnitBucket(1_000, 0);
    expect(taken(bucket, 2_500, 0)).toBe(true);
    expect(taken(bucket, 1, 1_500)).toBe(false);
    expect(taken(bucket, 1, 1_501)).toBe(true);
  });

  it('saves up no more than one second', () => {
    const bucket = new UnitBucket(1_000, 0);
    taken(bucket, 1_000, 0);
    taken(bucket, 1_000, 60_000);
    expect(taken(bucket, 1, 60_000)).toBe(false);
  });
});

describe('the partitions of a table', () => {
  it('throttle one partition key alone at the capacity of one partition', () => {
    const partitions = new Partitions(0);
    const taken = Array.from({ length: 40 }, () => partitions.take('W#hot', WRITE, 0));
    expect(taken.filter(Boolean)).toHaveLength(AWS.partitionWriteUnits / WRITE.units);
    expect(partitions.throttled).toEqual(new Map([['write W', 30]]));
  });

  it('serve many partition keys with the capacity of all', () => {
    const partitions = new Partitions(0);
    const taken = Array.from({ length: 400 }, (_key, key) => partitions.take(`W#${key}`, WRITE, 0));
    const all = AWS.newTable.writes / WRITE.units;
    expect(taken.filter(Boolean)).toHaveLength(all);
  });

  it.each([
    { reads: 60_000, writes: 4_000, partitions: 20 },
    { reads: 12_000, writes: 20_000, partitions: 20 },
    { reads: 12_001, writes: 4_000, partitions: 5 },
  ])('are as many as $reads reads and $writes writes a second need', (warm) => {
    const partitions = new Partitions(0, warm);
    const taken = Array.from({ length: 9_000 }, (_key, key) =>
      partitions.take(`W#${key}`, WRITE, 0),
    );
    const all = (warm.partitions * AWS.partitionWriteUnits) / WRITE.units;
    expect(taken.filter(Boolean)).toHaveLength(all);
  });

  it('serve no more together than the quota of a table', () => {
    const partitions = new Partitions(0, { reads: 12_000, writes: 60_000 });
    const served = Array.from({ length: 2_000 }, (_key, key) =>
      partitions.take(`W#${key}`, WRITE, 0),
    );
    expect(served.filter(Boolean)).toHaveLength(AWS.tableUnits / WRITE.units);
  });

  it('have a capacity for reads of their own', () => {
    const partitions = new Partitions(0);
    partitions.take('W#hot', { type: 'write', units: AWS.partitionWriteUnits }, 0);
    expect(partitions.take('W#hot', { type: 'read', units: 1 }, 0)).toBe(true);
  });

  it('split a partition that stayed hot, which doubles what its key gets', () => {
    const partitions = new Partitions(0);
    for (let second = 0; second <= AWS.splitAfterMs / 1_000; second += 1)
      for (let turn = 0; turn < 11; turn += 1) partitions.take('W#hot', WRITE, second * 1_000);
    expect(partitions.splits).toBe(1);
    const later = AWS.splitAfterMs + 10_000;
    const taken = Array.from({ length: 40 }, () => partitions.take('W#hot', WRITE, later));
    expect(taken.filter(Boolean)).toHaveLength((2 * AWS.partitionWriteUnits) / WRITE.units);
  });

  it('do not split a partition whose throttling pauses', () => {
    const partitions = new Partitions(0);
    for (let minute = 0; minute < 30; minute += 1)
      for (let turn = 0; turn < 11; turn += 1) partitions.take('W#hot', WRITE, minute * 60_000);
    expect(partitions.splits).toBe(0);
  });
});
