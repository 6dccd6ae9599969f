const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const GROUP = /^[\da-f]{1,4}$/i;
const IPV6_GROUPS = 8;

/** How many groups of 16 bits a part of an IPv6 address has. NaN if it is no such part. */
function groupsIn(part: string, mayEndInIPv4: boolean): number {
  if (part === '') return 0;
  const groups = part.split(':');
  const endsInIPv4 = mayEndInIPv4 && IPV4.test(part.slice(part.lastIndexOf(':') + 1));
  const plain = endsInIPv4 ? groups.slice(0, -1) : groups;
  return plain.every((group) => GROUP.test(group))
    ? plain.length + (endsInIPv4 ? 2 : 0)
    : Number.NaN;
}

function isIPv6(text: string): boolean {
  const gap = text.indexOf('::');
  if (gap < 0) return groupsIn(text, true) === IPV6_GROUPS;
  // If there is a second gap, the tail has an empty group.
  const tail = text.slice(gap + '::'.length);
  return groupsIn(text.slice(0, gap), false) + groupsIn(tail, true) < IPV6_GROUPS;
}

/** Whether a text is an IPv4 or IPv6 address, without a zone. */
export function isIpAddress(text: string): boolean {
  return IPV4.test(text) || isIPv6(text);
}
