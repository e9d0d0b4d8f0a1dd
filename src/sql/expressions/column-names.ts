// Column names in DuckDB's relations and files. Druid's names are case-sensitive, DuckDB's are not
// (for the letters A to Z).
import { identifier } from './duckdb-text.ts';

/** What has names: the columns of a table, of a segment, of a query. */
export type Named = readonly { readonly name: string }[];

/**
 * The names that DuckDB can tell apart, in the order of the given ones. The first to have a name
 * keeps it; a later one that DuckDB would take for the same has a number after it, the least that
 * is free: `a`, `A`, `A_1` become `a`, `A_1`, `A_1_1`. This is how DuckDB itself names the columns
 * of a file.
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  // The number that a name had after it, so that many equal names take linear time
  const last = new Map<string, number>();
  return names.map((name) => {
    const printable = nameFor(name, 'column');
    let own = printable;
    for (let number = (last.get(printable) ?? 0) + 1; taken.has(fold(own)); number++) {
      own = `${printable}_${number}`;
      last.set(printable, number);
    }
    taken.add(fold(own));
    return own;
  });
}

/**
 * The DuckDB identifiers of columns by their names. `columns` are all that a relation or a file may
 * have, in their order, also where only some of them are read: whoever makes the relation and
 * whoever reads it name the same ones.
 */
export function identifiersOf(columns: Named): (name: string) => string {
  const known = identifiers.get(columns) ?? identifiersIn(columns.map(({ name }) => name));
  identifiers.set(columns, known);
  return known;
}

const identifiers = new WeakMap<Named, (name: string) => string>();

function identifiersIn(names: readonly string[]): (name: string) => string {
  const isUsual =
    new Set(names.map((name) => name.toLowerCase())).size === names.length &&
    names.every((name) => nameFor(name, 'x') === name);
  if (isUsual) return identifier;
  const unique = [...new Set(names)];
  const distinct = distinctNames(unique);
  const renamed = new Map(unique.map((name, index) => [name, distinct[index] ?? name]));
  return (name) => identifier(renamed.get(name) ?? name);
}

/** The name as DuckDB can have it: without the character 0, and never empty. */
export const nameFor = (name: string, instead: string): string =>
  name.replaceAll('\0', '') || instead;

const fold = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
