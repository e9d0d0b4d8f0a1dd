// Addresses forbidden for requests: link-local ones, where clouds serve the credentials of their
// machines (RFC 3927, RFC 4291).
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';

// IPv6 has several ways to write an IPv4 address: mapped (known to BlockList), compatible, NAT64
// (RFC 6052) and 6to4 (RFC 3056).
const refused = new BlockList();
refused.addSubnet('169.254.0.0', 16, 'ipv4');
refused.addSubnet('fe80::', 10, 'ipv6');
refused.addSubnet('::169.254.0.0', 112, 'ipv6');
refused.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');
refused.addSubnet('2002:a9fe::', 32, 'ipv6');
// Metadata services of clouds at other addresses: AWS over IPv6, Alibaba.
refused.addAddress('fd00:ec2::254', 'ipv6');
refused.addAddress('100.100.100.200', 'ipv4');

/**
 * Whether an IP address, in brackets or not, is link-local or that of a metadata service; false for
 * a host name.
 */
export function isLinkLocal(host: string): boolean {
  const [address = ''] = host.replace(/^\[(.*)\]$/, '$1').split('%'); // without the zone
  return refused.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * Resolves names like `dns.lookup`, without forbidden addresses. Fails when no other address is
 * left.
 */
export const lookupElsewhere: LookupFunction = (hostname, options, done) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    const allowed = error ? [] : addresses.filter(({ address }) => !isLinkLocal(address));
    const [first] = allowed;
    if (error || !first) done(error ?? new Error(linkLocalWords), '', 0);
    else if (options.all)
      (done as (error: null, addresses: LookupAddress[]) => void)(null, allowed);
    else done(null, first.address, first.family);
  });
};

export const linkLocalWords = 'it has a link-local address, from which the service never reads';
