import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorkloadRef } from '#shared/core/workload.ts';
import {
  contentHash,
  ownerKey,
  parseSeenKey,
  parseSubject,
  range,
  rowKey,
  type Subject,
  seenKey,
  sortableNumber,
  sourcePartition,
  subjectPartition,
  versionText,
  wecHash,
} from '#shared/state/keys.ts';

const WEB: WorkloadRef = {
  wds: 'wds1',
  group: 'apps',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};

describe('the partition of a subject', () => {
  it.each<[Subject, string]>([
    [{ type: 'workload', workload: WEB }, 'W#wds1/apps/deployments/shop/web'],
    [{ type: 'binding', wds: 'wds1', name: 'web' }, 'B#wds1/web'],
    [{ type: 'collector', wds: 'wds1', name: 'web' }, 'C#wds1/web'],
  ])('of %o is %s, and gives the subject back', (subject, partition) => {
    expect(subjectPartition(subject)).toBe(partition);
    expect(parseSubject(partition)).toEqual(subject);
  });

  it.each(['', 'B#', 'B#wds1', 'B#wds1/', 'B#wds1/a/b', 'C#/a', 'X#wds1/a', 'W#wds1/a'])(
    'is not "%s"',
    (partition) => {
      expect(() => parseSubject(partition)).toThrow(RangeError);
    },
  );
});

describe('keys', () => {
  it('of a row sort by the hash of the WEC, under the partition of the workload', () => {
    const { pk, sk } = rowKey(WEB, 'wec1');
    expect(pk).toBe(subjectPartition({ type: 'workload', workload: WEB }));
    expect(sk).toBe(`R#${wecHash('wec1')}#wec1`);
    expect(wecHash('wec1')).toMatch(/^[0-9a-f]{8}$/);
  });

  it('of what a source has seen give the item back', () => {
    const item = rowKey(WEB, 'wec1');
    const seen = seenKey({ type: 'wec', name: 'wec1' }, item);
    expect(seen.pk).toBe('E#wec/wec1');
    expect(parseSeenKey(seen.sk)).toEqual(item);
  });

  it('differ between a WEC and a WDS of one name', () => {
    expect(sourcePartition({ type: 'wec', name: 'a' })).not.toBe(
      sourcePartition({ type: 'wds', name: 'a' }),
    );
  });

  it('of an owner name the object', () => {
    expect(ownerKey('wds1', 'shop', 'a.b')).toEqual({
      pk: 'O#wds1/combinedstatuses/shop/a.b',
      sk: 'OWNER',
    });
  });

  it('with a prefix lie in its range, others do not', () => {
    const { from, to } = range('pk', 'R#');
    for (const sk of ['R#', 'R#0', 'R#zz', 'R#\u{10fffe}'])
      expect(sk >= from && sk <= to).toBe(true);
    for (const sk of ['Q#z', 'S#', 'R', 'RESULT#']) expect(sk >= from && sk <= to).toBe(false);
  });
});

describe('texts that sort', () => {
  const natural = fc.maxSafeNat();

  it('sort numbers as numbers', () => {
    fc.assert(
      fc.property(natural, natural, (a, b) => {
        expect(sortableNumber(a) < sortableNumber(b)).toBe(a < b);
      }),
    );
  });

  it('sort versions by epoch, then by sequence', () => {
    const small = fc.oneof(fc.nat({ max: 12 }), natural);
    const version = fc.record({ epoch: small, sequence: small });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const isOlder = a.epoch < b.epoch || (a.epoch === b.epoch && a.sequence < b.sequence);
        expect(versionText(a) < versionText(b)).toBe(isOlder);
      }),
    );
  });
});

describe('hashes', () => {
  it('name content by 32 hexadecimal digits', () => {
    expect(contentHash('')).toBe('e3b0c44298fc1c149afbf4c8996fb924');
  });

  it('of WECs stay the same however many are asked for', () => {
    const before = wecHash('wec1');
    for (let index = 0; index < 100_001; index += 1) wecHash(`other-${index}`);
    expect(wecHash('wec1')).toBe(before);
  });
});
