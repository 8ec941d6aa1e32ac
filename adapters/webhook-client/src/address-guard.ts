import ipaddr from 'ipaddr.js';

export interface AddressGuard {
  /** Whether the address (an IPv4 or IPv6 literal, without brackets) may be used. */
  allows(address: string): boolean;
}

export const loopback_networks: readonly string[] = ['127.0.0.0/8', '::1/128'];

/**
 * The part of IPv6 that is assigned for public use. All other addresses are special or unassigned.
 */
const global_unicast_v6 = ipaddr.parseCIDR('2000::/3');

/** Cloud metadata services on addresses that look public. The others are in private ranges. */
const metadata_addresses = ['168.63.129.16'].map((address) => ipaddr.parse(address));

/**
 * A guard that allows public addresses, and those of the named networks (`127.0.0.0/8`, `::1/128`,
 * `10.1.2.3/32`).
 *
 * An address is public if no registry lists it as special: not private, loopback, link-local,
 * carrier-grade NAT, NAT64, 6to4, Teredo, multicast, documentation, reserved. An IPv4 address
 * inside an IPv6 address (mapped or compatible) is refused, because no name should resolve to it.
 * Throws a `TypeError` for a network that does not parse.
 */
export function addressGuard(allowed_networks: readonly string[] = []): AddressGuard {
  const networks = allowed_networks.map((network) => {
    if (!ipaddr.isValidCIDR(network)) throw new TypeError(`not a network such as 127.0.0.0/8: ${network}`);
    return ipaddr.parseCIDR(network);
  });
  return {
    allows(text) {
      if (!ipaddr.isValid(text) || text.includes('%')) return false;
      const address = ipaddr.parse(text);
      if (networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits)))
        return true;
      if (address.range() !== 'unicast') return false;
      if (metadata_addresses.some((metadata) => metadata.toString() === address.toString())) return false;
      return address.kind() === 'ipv4' || address.match(global_unicast_v6);
    },
  };
}
