import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedIpv4 } from '#shared/adapters/http/embedded-ipv4.ts';
import { localAddressKind } from '#shared/adapters/http/guarded-lookup.ts';

type Bytes = readonly number[];

function bytes(length: number): fc.Arbitrary<Bytes> {
  return fc.array(fc.nat(255), { minLength: length, maxLength: length });
}

/** 16 bytes as an IPv6 address, in one of the spellings that a reader must know. */
function ipv6(address: Bytes, isDotted: boolean): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((address[2 * i] ?? 0) * 256 + (address[2 * i + 1] ?? 0)).toString(16),
  );
  return isDotted
    ? [...groups.slice(0, 6), address.slice(12).join('.')].join(':')
    : groups.join(':').replace(/(^|:)0(:0)+(:|$)/, '::');
}

const inverted = (ipv4: Bytes): Bytes => ipv4.map((byte) => 255 - byte);

/** The forms of an IPv4 address in 16 bytes. `r` are the bytes that the form leaves open. */
const FORMS: Readonly<Record<string, (v4: Bytes, r: Bytes) => Bytes>> = {
  'IPv4-compatible': (v4) => [...Array(12).fill(0), ...v4],
  'IPv4-mapped': (v4) => [...Array(10).fill(0), 255, 255, ...v4],
  'IPv4-translated': (v4) => [...Array(8).fill(0), 255, 255, 0, 0, ...v4],
  'NAT64 with 64:ff9b::/96': (v4) => [0, 0x64, 0xff, 0x9b, ...Array(8).fill(0), ...v4],
  'a local NAT64 of 48 bits': ([a = 0, b = 0, c = 0, d = 0], r) =>
    [0, 0x64, 0xff, 0x9b, 0, 1, a, b, 0, c, d, ...r].slice(0, 16),
  'a local NAT64 of 56 bits': ([a = 0, b = 0, c = 0, d = 0], [x = 0, ...r]) =>
    [0, 0x64, 0xff, 0x9b, 0, 1, x, a, 0, b, c, d, ...r].slice(0, 16),
  'a local NAT64 of 64 bits': (v4, [x = 0, y = 0, ...r]) =>
    [0, 0x64, 0xff, 0x9b, 0, 1, x, y, 0, ...v4, ...r].slice(0, 16),
  'a local NAT64 of 96 bits': (v4, r) => [0, 0x64, 0xff, 0x9b, 0, 1, ...r.slice(0, 6), ...v4],
  '6to4': (v4, r) => [0x20, 2, ...v4, ...r].slice(0, 16),
  'the server of Teredo': (v4, r) => [0x20, 1, 0, 0, ...v4, ...r].slice(0, 16),
  'the client of Teredo': (v4, r) => [0x20, 1, 0, 0, ...r.slice(0, 8), ...inverted(v4)],
  'ISATAP, private': (v4, r) => [...r.slice(0, 8), 0, 0, 0x5e, 0xfe, ...v4],
  'ISATAP, unique': (v4, r) => [...r.slice(0, 8), 2, 0, 0x5e, 0xfe, ...v4],
};

/** An address of this machine or of a service of a cloud, with its kind. Those of 0.0.0.0/8 have a test of their own. */
const LOCAL = fc.oneof(
  bytes(3).map((rest) => ({ ipv4: [127, ...rest], kind: 'loopback' })),
  bytes(2).map((rest) => ({ ipv4: [169, 254, ...rest], kind: 'linkLocal' })),
  fc
    .constantFrom([100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192])
    .map((ipv4) => ({ ipv4, kind: 'linkLocal' })),
);

describe('an IPv6 address that contains an IPv4 address', () => {
  it.each(Object.entries(FORMS))('gives it back: %s', (_name, form) => {
    fc.assert(
      fc.property(LOCAL, bytes(12), fc.boolean(), ({ ipv4 }, rest, isDotted) => {
        const address = ipv6(form(ipv4, rest), isDotted);
        expect(embeddedIpv4(address)).toContain(ipv4.join('.'));
      }),
    );
  });

  it.each(Object.entries(FORMS))('is as local as that address: %s', (_name, form) => {
    fc.assert(
      fc.property(LOCAL, bytes(12), fc.boolean(), ({ ipv4, kind }, rest, isDotted) => {
        // No byte of the rest is that of a local address, so no other reading has a kind.
        const other = rest.map((byte) => 10 + (byte % 50));
        expect(localAddressKind(ipv6(form(ipv4, other), isDotted))).toBe(kind);
      }),
    );
  });

  it.each(Object.entries(FORMS))('of a server elsewhere is no local address: %s', (_name, form) => {
    fc.assert(
      fc.property(bytes(16), fc.boolean(), (given, isDotted) => {
        const [a = 0, b = 0, c = 0, d = 0, ...rest] = given.map((byte) => 10 + (byte % 50));
        const address = ipv6(form([a, b, c, d], rest), isDotted);
        expect(localAddressKind(address)).toBe(undefined);
      }),
    );
  });

  it.each([
    ['64:ff9b:1:a00:0:500::', '10.0.0.5'],
    ['64:ff9b:1:a:0:5::', '10.0.0.5'],
    ['64:ff9b:1::a:0:500:0', '10.0.0.5'],
    ['64:ff9b:1::10.0.0.5', '10.0.0.5'],
  ])('of a local NAT64 has no reading in 0.0.0.0/8: %s', (address, ipv4) => {
    const readings = embeddedIpv4(address);
    expect(readings).toContain(ipv4);
    expect(readings.filter((reading) => reading.startsWith('0.'))).toEqual([]);
    expect(localAddressKind(address)).toBe(undefined);
  });
});

it('an IPv6 address without an IPv4 address in it gives none', () => {
  fc.assert(
    fc.property(bytes(13), fc.boolean(), (rest, isDotted) => {
      const isIsatap = rest[7] === 0x5e && rest[8] === 0xfe;
      // 2a00::/8 is none of the forms.
      const address = ipv6([0x2a, 0, 0, ...rest], isDotted);
      if (!isIsatap) expect(embeddedIpv4(address)).toEqual([]);
    }),
  );
});
