// Validation of Avro schemas: they must be bounded, and rows must not be larger in memory than in
// the file.
import { isObject } from '../checks/spec-fields.ts';

/**
 * Throws an Error for a schema that is too large or too deep, or whose lists may have many items
 * without any bytes.
 */
export function checkSchema(schema: unknown): void {
  const named = new Map<string, unknown>();
  const waiting: { readonly part: unknown; readonly depth: number }[] = [
    { part: schema, depth: 0 },
  ];
  const lists: unknown[] = [];
  let parts = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { part, depth } = next;
    if (++parts > maxParts) throw new Error(`its schema has more than [${maxParts}] parts`);
    if (depth > maxDepth) throw new Error(`its schema is nested more than [${maxDepth}] times`);
    const add = (inside: unknown) => waiting.push({ part: inside, depth: depth + 1 });
    if (Array.isArray(part)) for (const branch of part) add(branch);
    if (!isObject(part)) continue;
    if (typeof part.name === 'string')
      for (const name of namesOf(part.name, part.namespace)) named.set(name, part);
    if (isObject(part.type) || Array.isArray(part.type)) add(part.type);
    if (part.type === 'array') lists.push(part.items);
    for (const name of ['items', 'values'] as const) if (part[name] !== undefined) add(part[name]);
    if (Array.isArray(part.fields))
      for (const field of part.fields) if (isObject(field)) add(field.type);
    if (Array.isArray(part.symbols) && part.symbols.length > maxParts)
      throw new Error(`its schema has more than [${maxParts}] symbols`);
  }
  if (lists.some((items) => !takesBytes(items, named, new Set())))
    throw new Error(
      'its schema has a list whose items take no bytes, so the list can have any length',
    );
}

const maxParts = 20_000;
const maxDepth = 100;

const namesOf = (name: string, namespace: unknown) => [
  name,
  `${String(namespace)}.${name}`,
  name.slice(name.lastIndexOf('.') + 1),
];

// Whether each value takes at least one byte. A recursive type recurs in a list, a map or a union,
// and each of these takes one.
function takesBytes(
  part: unknown,
  named: ReadonlyMap<string, unknown>,
  seen: Set<unknown>,
): boolean {
  if (typeof part === 'string') {
    const known = named.get(part) ?? named.get(part.slice(part.lastIndexOf('.') + 1));
    return known === undefined ? part !== 'null' : takesBytes(known, named, seen);
  }
  if (!isObject(part) || seen.has(part)) return true;
  seen.add(part);
  if (part.type === 'record' || part.type === 'error')
    return (
      Array.isArray(part.fields) &&
      part.fields.some((field) => isObject(field) && takesBytes(field.type, named, seen))
    );
  if (part.type === 'fixed') return Number(part.size) > 0;
  if (part.type === 'enum' || part.type === 'array' || part.type === 'map') return true;
  return takesBytes(part.type, named, seen);
}
