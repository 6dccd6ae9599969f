import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that are of this machine, or of its cloud's own services, and so none of a server elsewhere: `loopback` with
 * the unspecified ones, which lead there too; `linkLocal` with the metadata services of clouds.
 */
export type LocalAddressKind = 'loopback' | 'linkLocal';

type Subnet = readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6'];

/** RFC 6890, and fd00:ec2::/32, in which the metadata service of EC2 is. */
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
  ],
};

/** What stands before an IPv4 address in IPv6: mapped, compatible, NAT64 (RFC 4291, RFC 6052). */
const EMBEDDING = ['::ffff:', '::', '64:ff9b::'];

function embedded([net, prefix]: Subnet): readonly Subnet[] {
  return EMBEDDING.map((head) => [`${head}${net}`, 96 + prefix, 'ipv6']);
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
