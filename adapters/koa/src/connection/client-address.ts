import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6, SocketAddress } from 'node:net';
import { headerValues } from './header-values.ts';
import { createNetworks } from './networks.ts';

/** IPv4 as it is, IPv6 in its canonical form (RFC 5952). */
export type ClientAddress = string;

/**
 * Returns the function that finds the address from which a request was sent; null: the connection
 * has none. A trusted proxy adds the address that it sees to the end of `X-Forwarded-For`, so the
 * client is the last address there that is no trusted proxy. Everything before it may be invented.
 */
export function createAddressReader(
  trusted_proxies: readonly string[],
): (request: IncomingMessage) => ClientAddress | null {
  const isTrusted = createNetworks(trusted_proxies);
  const trusts_some = trusted_proxies.length > 0;
  /** Most requests come from where the one before came from. */
  let last = { text: '', address: canonical('') };

  return (request) => {
    const { remoteAddress: text = '' } = request.socket;
    if (last.text !== text) last = { text, address: canonical(text) };
    let { address } = last;
    if (address === null || !trusts_some || !isTrusted(address)) return address;
    const forwarded = headerValues(request, 'x-forwarded-for').join(',').split(',');
    while (address !== null && isTrusted(address)) {
      const before = canonical(forwarded.pop() ?? '');
      if (before === null) break;
      address = before;
    }
    return address;
  };
}

/**
 * Who shares the bounds of an address: an IPv4 address, or the /64 of an IPv6 address, of which one
 * caller has all. Those without an address share one.
 */
export function addressOwner(address: ClientAddress | null): string {
  if (address === null) return 'no address';
  if (!isIPv6(address)) return address;
  const [start = '', end = ''] = address.split('::');
  const before = start === '' ? [] : start.split(':');
  const after = end === '' ? [] : end.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/** Some proxies add a port. A socket of both families has IPv4 addresses within IPv6 ones. */
export function canonical(text: string): ClientAddress | null {
  const written = text.trim();
  const parsed = isIP(written) === 0 ? SocketAddress.parse(written)?.address : written;
  if (parsed === undefined) return null;
  const [without_zone = ''] = parsed.split('%');
  const mapped = /^::ffff:([\d.]+)$/i.exec(without_zone)?.[1];
  if (mapped !== undefined || !isIPv6(without_zone)) return mapped ?? without_zone;
  return new SocketAddress({ address: without_zone, family: 'ipv6' }).address;
}
