/**
 * The forms of an IPv6 address that contains an IPv4 address, as patterns of its 32 hexadecimal digits. What a pattern
 * captures is the IPv4 address.
 *
 * The prefix of a NAT64 in 64:ff9b:1::/48 may have 48, 56, 64 or 96 bits, and its length is not known here. So each reading
 * counts, except as 0.0.0.0/8: no packet has such a destination (RFC 6890), and the zeros of a prefix or of a suffix of another
 * length read like that.
 */
const EMBEDDINGS: readonly RegExp[] = [
  /^0{24}(.{8})$/, // ::a.b.c.d, IPv4-compatible (RFC 4291)
  /^0{20}ffff(.{8})$/, // ::ffff:a.b.c.d, IPv4-mapped (RFC 4291)
  /^0{16}ffff0000(.{8})$/, // ::ffff:0:a.b.c.d, IPv4-translated (SIIT, RFC 2765)
  /^0064ff9b0{16}(.{8})$/, // 64:ff9b::/96, NAT64 (RFC 6052)
  /^0064ff9b0001(?!00)(.{4})..(.{4})/, // 64:ff9b:1::/48, NAT64 (RFC 8215), with the bits 64 to 71 of RFC 6052 between
  /^0064ff9b0001..(?!00)(..)..(.{6})/, // the same with a prefix of 56 bits
  /^0064ff9b0001.{6}(?!00)(.{8})/, // of 64 bits
  /^0064ff9b0001.{12}(?!00)(.{8})$/, // of 96 bits
  /^2002(.{8})/, // 2002::/16, 6to4 (RFC 3056)
  /^20010000(.{8})/, // 2001::/32, Teredo (RFC 4380): the server
  /^.{16}0[02]005efe(.{8})$/, // an interface identifier of ISATAP (RFC 5214), below any prefix
];

/** The client of a Teredo address. Each of its bits is inverted (RFC 4380). */
const TEREDO_CLIENT = /^20010000.{16}(.{8})$/;

/** The 32 hexadecimal digits of an IPv6 address. A URL writes each address in groups of such digits (RFC 5952). */
function digitsOf(address: string): string {
  const [before = [], after = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((side) => side.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - before.length - after.length).fill('');
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('');
}

function dotted(digits: string, mask = 0): string {
  return [0, 2, 4, 6].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) ^ mask).join('.');
}

/**
 * Returns the IPv4 addresses that an IPv6 address may lead to, because a translator or a tunnel finds them in it. The prefix
 * that a network chooses for its own NAT64 is not known here.
 *
 * @param address an IPv6 address in any spelling, without brackets and zone
 * @throws TypeError if the text is not an IPv6 address
 */
export function embeddedIpv4(address: string): readonly string[] {
  const digits = digitsOf(address);
  const plain = EMBEDDINGS.flatMap((form) => {
    const match = form.exec(digits);
    return match === null ? [] : [dotted(match.slice(1).join(''))];
  });
  const client = TEREDO_CLIENT.exec(digits)?.[1];
  return client === undefined ? plain : [...plain, dotted(client, 0xff)];
}
