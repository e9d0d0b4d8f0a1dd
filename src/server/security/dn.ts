// Distinguished names (RFC 4514), and patterns for them in group mappings and group filters.

/**
 * A distinguished name whose parts are normalized, so that equality is that of the directory; the
 * most specific part comes first.
 */
export type Dn = readonly string[];

/**
 * Parses a distinguished name: in any case, with spaces around its separators, escaped or (RFC
 * 2253) quoted. Returns undefined for an invalid one.
 */
export function parseDn(text: string): Dn | undefined {
  const parts: string[] = [];
  let values: string[] = [];
  for (let at = 0; ; ) {
    const equals = text.indexOf('=', at);
    const type = equals === -1 ? '' : text.slice(at, equals).trim();
    if (!/^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)$/.test(type)) return undefined;
    const read = readValue(text, equals + 1);
    if (!read) return undefined;
    values.push(`${type.toLowerCase()}=${read.value}`);
    const separator = text[read.end];
    at = read.end + 1;
    if (separator === '+') continue;
    parts.push(values.sort().join('+'));
    values = [];
    if (separator === undefined) return parts;
  }
}

/** Whether a group matches. */
export type GroupPattern = (group: Dn) => boolean;

/**
 * Parses a pattern of groups (Druid: LDAPRoleProvider): `*,DN` matches a name and all names below
 * it, `RDN,*` all names that begin with this part, and a name without an asterisk at an end only
 * itself. Returns undefined for an invalid one.
 */
export function parseGroupPattern(text: string): GroupPattern | undefined {
  const pattern = text.trim();
  const isBelow = pattern.startsWith('*,');
  const isBeginning = !isBelow && pattern.endsWith(',*') && !isEscaped(pattern, pattern.length - 2);
  const dn = parseDn(isBelow ? pattern.slice(2) : isBeginning ? pattern.slice(0, -2) : pattern);
  if (!dn) return undefined;
  return (group) => {
    if (group.length < dn.length || (group.length > dn.length && !isBelow && !isBeginning))
      return false;
    const from = isBelow ? group.length - dn.length : 0;
    return dn.every((part, at) => group[from + at] === part);
  };
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

interface Value {
  readonly value: string;
  readonly end: number; // position of the next separator, or the text's end
}

function readValue(text: string, from: number): Value | undefined {
  let at = from;
  while (text[at] === ' ') at++;
  if (text[at] === '#') return readHexadecimal(text, at);
  const isQuoted = text[at] === '"';
  if (isQuoted) at++;
  const bytes: number[] = [];
  let wanted = 0; // bytes without trailing unescaped spaces
  for (; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (isQuoted ? sign === '"' : separators.has(sign)) break;
    if (sign === '\\') {
      const pair = text.slice(at + 1, at + 3);
      const isPair = /^[0-9A-Fa-f]{2}$/.test(pair);
      if (isPair) bytes.push(Number.parseInt(pair, 16));
      else if (escapable.has(text[at + 1] ?? '')) bytes.push(text.charCodeAt(at + 1));
      else return undefined;
      at += isPair ? 2 : 1;
      wanted = bytes.length;
      continue;
    }
    const whole = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...Buffer.from(whole));
    at += whole.length - 1;
    if (sign !== ' ' || isQuoted) wanted = bytes.length;
  }
  if (isQuoted) {
    if (text[at] !== '"') return undefined;
    at++;
    while (text[at] === ' ') at++;
    if (at < text.length && !separators.has(text[at] ?? '')) return undefined;
  }
  return { value: normalize(Buffer.from(bytes.slice(0, wanted)).toString()), end: at };
}

// The encoded value of a type without a text form.
function readHexadecimal(text: string, from: number): Value | undefined {
  let end = from;
  while (end < text.length && !separators.has(text[end] ?? '')) end++;
  const value = text.slice(from, end).trim().toLowerCase();
  return /^#(?:[0-9a-f]{2})+$/.test(value) ? { value: `\0${value}`, end } : undefined;
}

const separators = new Set([',', ';', '+']);
const escapable = new Set([' ', '"', '#', '+', ',', ';', '<', '=', '>', '\\']);

// Case is irrelevant, and so is the number of spaces between words (RFC 4518). Separators of values
// within one part are escaped.
const normalize = (value: string) =>
  value
    .normalize('NFC')
    .toLowerCase()
    .trim()
    .replace(/ +/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('+', '\\+');
