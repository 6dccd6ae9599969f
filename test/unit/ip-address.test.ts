import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isIpAddress } from '#shared/core/ip-address.ts';

it.each([
  '10.0.0.1',
  '255.255.255.255',
  '0.0.0.0',
  '::',
  '::1',
  '2001:db8::1',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:1.2.3.4',
  '::ffff:10.0.0.1',
  '64:ff9b::1.2.3.4',
])('%s is an address', (text) => {
  expect(isIpAddress(text)).toBe(true);
});

it.each([
  '',
  'not-ip',
  '256.1.1.1',
  '1.2.3',
  '01.2.3.4',
  '1.2.3.4:80',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '12345::',
  '1.2.3.4::',
  ':1::2',
  'fe80::1%eth0',
])('%s is none', (text) => {
  expect(isIpAddress(text)).toBe(false);
});

it('agrees with Node about addresses and about texts that are nearly some', () => {
  const edited = fc
    .tuple(
      fc.oneof(fc.ipV4(), fc.ipV6()),
      fc.nat({ max: 40 }),
      fc.constantFrom('', ':', '0', '.', 'g', '::'),
    )
    .map(([address, at, text]) => `${address.slice(0, at)}${text}${address.slice(at + 1)}`);
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), edited), (text) => {
      expect({ text, isAddress: isIpAddress(text) }).toEqual({ text, isAddress: isIP(text) !== 0 });
    }),
    { numRuns: 5_000 },
  );
});
