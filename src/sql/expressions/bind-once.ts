// Texts that use their arguments several times.

// A text this short is repeated, and so is a column name. DuckDB computes equal texts once while
// they are few, and skips parts of a column whose limits it sees.
const longestRepeated = 40;
const isRepeated = (arg: string) => arg.length <= longestRepeated || !arg.includes('(');

/**
 * Applies a text that uses its arguments more than once. Long arguments are bound to names first;
 * otherwise each nested call would double the text. The text may not contain a subquery, but the
 * arguments may.
 */
export function bindOnce(
  args: readonly string[],
  apply: (args: readonly string[]) => string,
): string {
  if (args.every(isRepeated)) return apply(args);
  return bindOutside(args, apply);
}

/**
 * Applies a text to names of the arguments. The text may use them in a lambda, where DuckDB accepts
 * names but not subqueries.
 */
export function bindOutside(
  args: readonly string[],
  apply: (args: readonly string[]) => string,
): string {
  if (args.length === 0) return apply(args);
  const [only] = args;
  if (only !== undefined && args.length === 1)
    return `list_transform([${only}], ${lambda((item) => apply([item]))})[1]`;
  const body = lambda((item) => apply(args.map((_, index) => fieldOf(item, index))));
  return `list_transform([${fieldsOf(args)}], ${body})[1]`;
}

/**
 * As `bindOutside`, for arguments that are only found while the text is built. `named` returns the
 * name of each.
 */
export function bindFound(make: (named: (arg: string) => string) => string): string {
  const found: string[] = [];
  let text = '';
  const body = lambda((item) => {
    text = make((arg) => fieldOf(item, found.push(arg) - 1));
    return text;
  });
  return found.length === 0 ? text : `list_transform([${fieldsOf(found)}], ${body})[1]`;
}

// Fields are read by position: DuckDB loses their names if the arguments are columns of an outer
// query.
const fieldsOf = (args: readonly string[]) => `row(${args.join(', ')})`;
const fieldOf = (item: string, index: number) => `struct_extract(${item}, ${index + 1})`;

/** A lambda of DuckDB with one parameter. A nested lambda has a parameter with another name. */
export function lambda(body: (item: string) => string): string {
  const item = `v${lambdaDepth++}`;
  try {
    return `lambda ${item}: ${body(item)}`;
  } finally {
    lambdaDepth--;
  }
}

/** A lambda for DuckDB's `list_reduce` over the accumulator and an item. */
export const foldLambda = (body: (accumulator: string, item: string) => string): string => {
  const [accumulator, item] = [`v${lambdaDepth++}`, `v${lambdaDepth++}`];
  try {
    return `lambda ${accumulator}, ${item}: ${body(accumulator, item)}`;
  } finally {
    lambdaDepth -= 2;
  }
};

let lambdaDepth = 0; // depth of the lambdas whose text is being built
