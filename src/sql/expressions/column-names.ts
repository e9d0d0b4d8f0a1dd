// Column names in DuckDB's relations and files. Druid's names are case-sensitive; DuckDB's are not,
// for the letters A to Z.
import { identifier } from './duckdb-text.ts';

/** Named columns: of a table, a segment or a query. */
export type NamedColumn = readonly { readonly name: string }[];

/**
 * The names as DuckDB can distinguish them, in the given order. The first use of a name keeps it. A
 * later name that DuckDB considers equal gets the lowest free number as a suffix: `a`, `A`, `A_1`
 * become `a`, `A_1`, `A_1_1`. DuckDB names the columns of a file in the same way.
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  // The last number appended to a name, so that many equal names take linear time
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
 * The DuckDB identifiers of columns by their names. `columns` must be all columns of a relation or
 * file, in order, even if only some are read, so that its writer and its reader use the same
 * identifiers.
 */
export function identifiersOf(columns: NamedColumn): (name: string) => string {
  const known = identifiers.get(columns) ?? identifiersIn(columns.map(({ name }) => name));
  identifiers.set(columns, known);
  return known;
}

const identifiers = new WeakMap<NamedColumn, (name: string) => string>();

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

/** The name in a form that DuckDB accepts: without the character 0, and not empty. */
export const nameFor = (name: string, instead: string): string =>
  name.replaceAll('\0', '') || instead;

const fold = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
