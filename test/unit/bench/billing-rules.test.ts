import { describe, expect, it } from 'vitest';
import {
  batchCalls,
  getUnits,
  queryUnits,
  queueRequests,
  writeUnits,
} from '#test/bench/cost/billing-rules.ts';

const KIB = 1024;

describe('read units', () => {
  it.each([
    ['an item of 3,500 bytes as one of 4 KB', 3_500, 1],
    ['an item of 4 KB', 4 * KIB, 1],
    ['an item of 10 KB as one of 12 KB', 10 * KIB, 3],
    ['an item that does not exist', 0, 1],
  ])('of GetItem bill %s', (_what, bytes, units) => {
    expect(getUnits(bytes)).toBe(units);
  });

  it('of BatchGetItem round each item by itself: 1.5 KB and 6.5 KB are 4 KB and 8 KB', () => {
    expect(getUnits(1.5 * KIB) + getUnits(6.5 * KIB)).toBe(3);
  });

  it('of Query round the sum of the items: 40.8 KB are 44 KB', () => {
    expect(queryUnits([20 * KIB, 20.8 * KIB])).toBe(11);
  });

  it('of Query round a hundred small items once', () => {
    expect(queryUnits(Array.from({ length: 100 }, () => 100))).toBe(3);
  });

  it('of Query bill a unit if nothing is found', () => {
    expect(queryUnits([])).toBe(1);
  });
});

describe('write units', () => {
  it.each([
    { what: 'a new item of 500 bytes as one of 1 KB', before: 0, after: 500, units: 1 },
    { what: 'a new item of 1.5 KB as one of 2 KB', before: 0, after: 1.5 * KIB, units: 2 },
    { what: 'a smaller item over a larger by the larger', before: 3 * KIB, after: 100, units: 3 },
    { what: 'a larger item over a smaller by the larger', before: 100, after: 3 * KIB, units: 3 },
    { what: 'a delete by what is deleted', before: 2.5 * KIB, after: 0, units: 3 },
    { what: 'a delete of what does not exist', before: 0, after: 0, units: 1 },
  ])('bill $what', ({ before, after, units }) => {
    expect(writeUnits(before, after)).toBe(units);
  });
});

describe('SQS requests', () => {
  it.each([
    ['an empty receive', 0, 1],
    ['a payload of 64 KiB', 64 * KIB, 1],
    ['a payload of one byte more', 64 * KIB + 1, 2],
    ['a payload of 256 KiB', 256 * KIB, 4],
    ['a payload of 1 MiB', 1024 * KIB, 16],
  ])('bill %s', (_what, bytes, requests) => {
    expect(queueRequests(bytes)).toBe(requests);
  });

  it('carry ten messages in a batch call', () => {
    expect(batchCalls(Array.from({ length: 21 }, () => 100))).toEqual([1_000, 1_000, 100]);
  });

  it('carry at most 1 MiB in a batch call', () => {
    const half = 512 * KIB;
    expect(batchCalls([half, half, half, 1])).toEqual([2 * half, half + 1]);
  });

  it('are none for no message', () => {
    expect(batchCalls([])).toEqual([]);
  });
});
