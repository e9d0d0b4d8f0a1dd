// File paths of configuration objects, such as `rules/wikipedia.yaml` or
// `lookups/__default/countries.yaml`. Characters that file systems or terminals cannot show are
// percent-encoded.
import { visibleLine } from '../../../model/visible-text.ts';

/**
 * The path of an object below the folder. `taken` holds the paths in use, normalized as file
 * systems compare them: some do not distinguish Wiki from wiki, or the two forms of é.
 */
export function pathOf(area: string, name: string, taken: Set<string>): string {
  const plain = pathFrom(area, name, safe);
  const encodePart = (part: string) =>
    safe(part).replace(/(?<!%[\dA-F]?)[A-Z]|\P{ASCII}/gu, asCode);
  const path = taken.has(comparable(plain)) ? pathFrom(area, name, encodePart) : plain;
  taken.add(comparable(path));
  return path;
}

const comparable = (path: string) => path.normalize('NFC').toLowerCase();

/** The area and name of an object by its path; undefined for other files. */
export function nameOf(path: string): { area: string; name: string } | undefined {
  const [area = '', ...parts] = path.replace(/\.yaml$/, '').split('/');
  if (!path.endsWith('.yaml') || parts.length !== (area === 'lookups' ? 2 : 1)) return;
  try {
    return { area, name: parts.map(decodeURIComponent).join('/') };
  } catch {
    return;
  }
}

// The tier of a lookup is a folder.
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

// Reserved device names on Windows, with any extension.
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

// The UTF-8 bytes in the form that `decodeURIComponent` decodes.
const asCode = (sign: string) =>
  Array.from(
    Buffer.from(sign),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
