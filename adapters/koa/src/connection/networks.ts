import { BlockList, isIPv6 } from 'node:net';

/**
 * Returns why these networks cannot be those of trusted proxies, as the end of a sentence; null when
 * they can. Whoever is trusted says from which address and with which certificate a request comes.
 */
export function findProxyProblem(networks: readonly string[]): string | null {
  const wide = networks.find(isWide);
  if (wide === undefined) return null;
  return `must not have a network as wide as ${wide}: everyone in it could pretend to be another client. Name the proxies; a network has at least /8, in IPv6 /7`;
}

/** IPv4 within IPv6. */
const isMapped = (address: string): boolean => createNetworks(['::ffff:0:0/96'])(address);

function isWide(network: string): boolean {
  const [address = '', length = ''] = network.split('/');
  if (!isIPv6(address)) return Number(length) < 8;
  const ipv4_bits = Number(length) - 96;
  return ipv4_bits < 0
    ? Number(length) < 7 || createNetworks([network])('::ffff:0.0.0.0')
    : isMapped(address) && ipv4_bits < 8;
}

/** Returns whether an address is in one of the networks, given as CIDR. */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length = ''] = network.split('/');
    list.addSubnet(address, Number(length), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
