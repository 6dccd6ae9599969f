import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that are of this machine, or of its cloud's own services, and so none of a server elsewhere: `loopback` with
 * the unspecified ones, which lead there too; `linkLocal` with the metadata services of clouds.
 */
export type LocalAddressKind = 'loopback' | 'linkLocal';

type Subnet = readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6'];

/** RFC 6890, and where clouds have their metadata services: fd00:ec2::/32 (AWS), fd20:ce::254 (Google), 100.100.100.200 (Alibaba). */
const SUBNETS: Readonly<Record<LocalAddressKind, readonly Subnet[]>> = {
  loopback: [
    ['127.0.0.0', 8, 'ipv4'],
    ['0.0.0.0', 8, 'ipv4'],
    ['::', 127, 'ipv6'],
  ],
  linkLocal: [
    ['169.254.0.0', 16, 'ipv4'],
    ['fe80::', 10, 'ipv6'],
    ['fd00:ec2::', 32, 'ipv6'],
    ['fd20:ce::254', 128, 'ipv6'],
    ['100.100.100.200', 32, 'ipv4'],
  ],
};

/** What stands before an IPv4 address in IPv6: mapped, compatible, NAT64 (RFC 4291, RFC 6052, RFC 8215). */
const EMBEDDING = ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::'];

/** The addresses that 6to4 makes of a subnet (RFC 3056): 2002, and the IPv4 address behind it. */
function sixToFour([net, prefix]: Subnet): Subnet {
  const [a = 0, b = 0, c = 0, d = 0] = net.split('.').map(Number);
  const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16));
  return [`2002:${groups.join(':')}::`, 16 + prefix, 'ipv6'];
}

function embedded(subnet: Subnet): readonly Subnet[] {
  const [net, prefix] = subnet;
  const behind = EMBEDDING.map((head): Subnet => [`${head}${net}`, 96 + prefix, 'ipv6']);
  return [...behind, sixToFour(subnet)];
}

function blockList(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const forms = subnet[2] === 'ipv4' ? embedded(subnet) : [];
    for (const [net, prefix, family] of [subnet, ...forms]) list.addSubnet(net, prefix, family);
  }
  return list;
}

const LISTS = new Map<LocalAddressKind, BlockList>([
  ['loopback', blockList(SUBNETS.loopback)],
  ['linkLocal', blockList(SUBNETS.linkLocal)],
]);

/**
 * What kind of local address this is; `undefined` for any other, and for what is no address.
 *
 * @param address IPv4 or IPv6, without brackets; a zone (`%eth0`) does not count.
 */
export function localAddressKind(address: string): LocalAddressKind | undefined {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  if (version === 0) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return [...LISTS].find(([, list]) => list.check(plain, family))?.[0];
}

/**
 * Resolves names for an agent, and looks at what they resolve to when the connection is made: that a name was harmless
 * a moment ago means nothing (DNS rebinding). A name with several addresses is refused if one of them is.
 *
 * An agent does not ask for the address of a host that is an address already: look at that with
 * {@link localAddressKind}.
 *
 * @param refuse says why an address may not be connected to; `undefined`: it may.
 * @param resolve the system's resolver.
 */
export function guardedLookup(
  refuse: (hostname: string, address: string) => Error | undefined,
  resolve: typeof systemLookup = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      const refused = addresses
        .map(({ address }) => refuse(hostname, address))
        .find((fault) => fault !== undefined);
      if (refused !== undefined) return callback(refused, []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
