import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { embeddedIpv4 } from './embedded-ipv4.ts';

/**
 * Kinds of addresses that belong to this machine or to the services of its cloud, and therefore not to a server elsewhere.
 * `loopback` includes the unspecified addresses, which lead to this machine as well. `linkLocal` includes the known
 * addresses of the metadata services of clouds.
 */
export type LocalAddressKind = 'loopback' | 'linkLocal';

type Subnet = readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6'];

/**
 * RFC 6890, and the known addresses of the metadata services of clouds: fd00:ec2::/32 (AWS), fd20:ce::254 (Google),
 * 100.100.100.200 (Alibaba), 168.63.129.16 (Azure), 192.0.0.192 and fd00:c1::a9fe:a9fe (Oracle), fd00:42::42 (Scaleway),
 * fd00:a9fe:a9fe::1 (Linode).
 */
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
    ['fd00:c1::a9fe:a9fe', 128, 'ipv6'],
    ['fd00:42::42', 128, 'ipv6'],
    ['fd00:a9fe:a9fe::1', 128, 'ipv6'],
    ['100.100.100.200', 32, 'ipv4'],
    ['168.63.129.16', 32, 'ipv4'],
    ['192.0.0.192', 32, 'ipv4'],
  ],
};

function blockList(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of subnets) list.addSubnet(net, prefix, family);
  return list;
}

const LISTS = new Map<LocalAddressKind, BlockList>([
  ['loopback', blockList(SUBNETS.loopback)],
  ['linkLocal', blockList(SUBNETS.linkLocal)],
]);

/**
 * Returns the kind of a local address. An IPv6 address with an IPv4 address in it has the kind of either. Returns undefined for
 * any other address, and for a text that is not an address.
 *
 * @param address IPv4 or IPv6, without brackets; a zone (`%eth0`) is ignored.
 */
export function localAddressKind(address: string): LocalAddressKind | undefined {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  if (version === 0) return undefined;
  const embedded = version === 6 ? embeddedIpv4(plain) : [];
  const isIn = (list: BlockList): boolean =>
    list.check(plain, version === 4 ? 'ipv4' : 'ipv6') ||
    embedded.some((ipv4) => list.check(ipv4, 'ipv4'));
  return [...LISTS].find(([, list]) => isIn(list))?.[0];
}

/**
 * Resolves names for an agent, and checks the resolved addresses when the connection is made. An earlier check is worthless,
 * because a name may resolve to another address a moment later (DNS rebinding). If one of several addresses is rejected, the
 * name is rejected.
 *
 * If the host is an address, an agent does not resolve it. Check such a host with {@link localAddressKind}.
 *
 * @param refuse returns the error if connections to an address are not allowed; undefined if they are.
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
