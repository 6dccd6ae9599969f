import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '#shared/content-hash.ts';
import {
  parseSubject,
  type Subject,
  sourcePartition,
  subjectPartition,
} from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { fleetRowKey } from '#shared/state/fleet/fleet-rows.ts';
import { placedKey } from '#shared/state/fleet/placed-object.ts';
import {
  fitsKeys,
  ownerKey,
  parseReportedEntry,
  parseReportedKey,
  range,
  reportedKey,
  rowKey,
  sortableNumber,
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
    const seen = reportedKey({ type: 'wec', name: 'wec1' }, item);
    expect(seen.pk).toBe('E#wec/wec1');
    expect(parseReportedKey(seen.sk)).toEqual(item);
  });

  it('of what a source has seen give the item back, whatever names stand in them', () => {
    const name = fc.stringMatching(/^[a-z|#: .é]{1,12}$/u);
    const sourceName = fc.stringMatching(/^[A-Za-z0-9._:@-]{1,12}$/);
    const workload = fc.record({
      wds: sourceName,
      group: fc.constantFrom('', 'apps', 'rbac.authorization.k8s.io'),
      resource: fc.constantFrom('deployments', 'roles'),
      namespace: fc.constantFrom('', 'shop'),
      name,
    });
    fc.assert(
      fc.property(workload, sourceName, fc.constantFrom('row', 'OBJECT'), (of, wec, sort) => {
        const subject: Subject = { type: 'workload', workload: of };
        const row = rowKey(of, wec);
        const key = sort === 'row' ? row : { pk: row.pk, sk: sort };
        const { sk } = reportedKey({ type: 'wec', name: wec }, key);
        expect(parseReportedKey(sk)).toEqual(key);
        expect(parseReportedEntry(sk)).toEqual({ key, subject });
      }),
    );
  });

  it.each(['SEEN#', 'SEEN#W#wds1|R#', 'SEEN#X#wds1/a|R#0#wec1'])(
    'of what a source has seen are not "%s"',
    (sk) => {
      expect(parseReportedEntry(sk)).toBeUndefined();
    },
  );

  it('fit DynamoDB as long as the longest of them does', () => {
    const wec = { type: 'wec', name: 'w'.repeat(253) } as const;
    const long = { ...WEB, wds: 'd'.repeat(253), namespace: 'n'.repeat(63) };
    const bytes = (of: WorkloadRef): number =>
      Buffer.byteLength(reportedKey(wec, rowKey(of, wec.name)).sk);
    const name = 'é'.repeat(Math.floor((1024 - bytes({ ...long, name: '' })) / 2));
    expect(bytes({ ...long, name })).toBeGreaterThan(1022);
    expect(fitsKeys(wec, { ...long, name })).toBe(true);
    expect(fitsKeys(wec, { ...long, name: `${name}é` })).toBe(false);
  });

  it('of an object of Fleet fit DynamoDB as long as each of them does', () => {
    const [most, named] = [253, 'bundledeployments'] as const;
    const fits = (upstream: string, namespace: string, name: string): boolean =>
      fitsKeys(
        { type: 'fleet', name: upstream },
        { wds: upstream, group: 'fleet.cattle.io', resource: named, namespace, name },
      );
    const namespace = 'n'.repeat(63);
    expect(fits('u'.repeat(most), namespace, 'a'.repeat(most))).toBe(true);
    const upstream = 'u'.repeat(most);
    const placed = placedKey({ upstream, resource: named, namespace, name: '' });
    const seenLeft = 1024 - reportedKey({ type: 'fleet', name: upstream }, placed).sk.length;
    const subject = { type: 'fleet', upstream, resource: 'bundles', namespace, name: 'b' } as const;
    const longest = { family: 'CLUSTER', id: `${namespace}/${'a'.repeat(most)}` } as const;
    const rowLeft = 1024 - fleetRowKey(subject, longest, `${namespace}/`).sk.length;
    expect(rowLeft).toBeLessThan(seenLeft + upstream.length - 1);
    const left = Math.min(seenLeft, rowLeft);
    expect(fits(upstream, namespace, 'a'.repeat(left))).toBe(true);
    expect(fits(upstream, namespace, 'a'.repeat(left + 1))).toBe(false);
    expect(fits('u', namespace, 'a'.repeat(rowLeft))).toBe(true);
    expect(fits('u', namespace, 'a'.repeat(rowLeft + 1))).toBe(false);
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
