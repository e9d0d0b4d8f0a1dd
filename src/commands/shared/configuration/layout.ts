// File paths of configuration objects, such as `rules/wikipedia.yaml` or
// `lookups/__default/countries.yaml`. Characters that file systems or terminals cannot show are
// percent-encoded.
import { visibleLine } from '../../../model/visible-text.ts';

/**
 * The path of a thing below the folder. `taken` are the paths in use, as file systems compare them:
 * some take Wiki and wiki for one, or both forms of é.
 */
export function pathOf(area: string, name: string, taken: Set<string>): string {
  const plain = pathFrom(area, name, safe);
  const coded = (part: string) => safe(part).replace(/(?<!%[\dA-F]?)[A-Z]|\P{ASCII}/gu, asCode);
  const path = taken.has(comparable(plain)) ? pathFrom(area, name, coded) : plain;
  taken.add(comparable(path));
  return path;
}

const comparable = (path: string) => path.normalize('NFC').toLowerCase();

/**
 * The area and the name of a thing whose file has this path; undefined for files that are none of
 * ours.
 */
export function nameOf(path: string): { area: string; name: string } | undefined {
  const [area = '', ...parts] = path.replace(/\.yaml$/, '').split('/');
  if (!path.endsWith('.yaml') || parts.length !== (area === 'lookups' ? 2 : 1)) return;
  try {
    return { area, name: parts.map(decodeURIComponent).join('/') };
  } catch {
    return;
  }
}

// The tier of a lookup is a folder of its own.
function pathFrom(area: string, name: string, write: (part: string) => string): string {
  const at = area === 'lookups' ? name.indexOf('/') : -1;
  const parts = at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)];
  return `${[area, ...parts.map(write)].join('/')}.yaml`;
}

const safe = (part: string) =>
  Array.from(part, (letter) =>
    /[%/\\:*?"<>|]/.test(letter) || visibleLine(letter) !== letter ? asCode(letter) : letter,
  )
    .join('')
    .replace(/^[.~ -]|[. ]$/g, asCode)
    .replace(reserved, (name) => asCode(name.charAt(0)) + name.slice(1));

// Windows takes these for devices, whatever stands behind a dot.
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

// The bytes of UTF-8, which `decodeURIComponent` reads back.
const asCode = (sign: string) =>
  Array.from(
    Buffer.from(sign),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
