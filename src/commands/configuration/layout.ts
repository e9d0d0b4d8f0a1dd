// Where a thing has its file: `rules/wikipedia.yaml`, `lookups/__default/countries.yaml`. Names are those of the cluster, as far as file systems take
// them; what they do not take is written as in addresses, %2F for a slash.

/** The path of a thing below the folder. `taken` are the lower-case paths in use: some file systems take Wiki and wiki for one. */
export function pathOf(area: string, name: string, taken: Set<string>): string {
  const plain = pathFrom(area, name, safe);
  const path = taken.has(plain.toLowerCase()) ? pathFrom(area, name, (part) => safe(part).replace(/(?<!%[\dA-F]?)[A-Z]/g, asCode)) : plain;
  taken.add(path.toLowerCase());
  return path;
}

/** The area and the name of a thing whose file has this path; undefined for files that are none of ours. */
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

const safe = (part: string) => part.replace(/[%/\\:*?"<>|\p{Cc}]/gu, asCode).replace(/^[.~ -]|[. ]$/g, asCode);

const asCode = (sign: string) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`;
