// Internet addresses as numbers.

/** `192.168.0.1` as a number, or null. */
export function parseIpv4(text: string): bigint | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return null;
  const bytes = match.slice(1).map(Number);
  return bytes.every((byte) => byte <= 255)
    ? bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
    : null;
}

/** A number as `192.168.0.1`. */
export const formatIpv4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');

export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** `10.0.0.0/8`; null for a single address. */
export const parseIpv4Subnet = (text: string): AddressRange | null => rangeOf(text, parseIpv4, 32);

/** `2001:db8::/32`; null for a single address. */
export const parseIpv6Subnet = (text: string): AddressRange | null => rangeOf(text, parseIpv6, 128);

function rangeOf(
  text: string,
  parse: (address: string) => bigint | null,
  bits: number,
): AddressRange | null {
  const [address = '', length = '', ...rest] = text.split('/');
  const value = parse(address);
  if (value === null || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > bits)
    return null;
  const size = 1n << BigInt(bits - Number(length));
  const first = value - (value % size);
  return { first, last: first + size - 1n };
}

/** Whether an address is in a subnet; false if the text is not an address. */
export function matchesIpv6(text: string, subnet: string): boolean {
  const address = parseIpv6(text);
  const range = parseIpv6Subnet(subnet);
  return address !== null && range !== null && address >= range.first && address <= range.last;
}

const longestAddress = 45; // eight groups, or six and an IPv4 address

/** `2001:db8::1` as a number, or null. */
export function parseIpv6(text: string): bigint | null {
  if (text.length > longestAddress) return null;
  const mapped = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const last = mapped ? parseIpv4(mapped[2] ?? '') : 0n;
  if (last === null) return null;
  const plain = mapped
    ? `${mapped[1]}${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`
    : text;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n);
}
