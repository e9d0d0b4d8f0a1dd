// Texts that name their arguments several times.

// A text this short is repeated as it is, and so is the name of a column: DuckDB computes equal
// texts once, as long as there are few, and reads less of a column whose limits it sees.
const longestRepeated = 40;
const isRepeated = (arg: string) => arg.length <= longestRepeated || !arg.includes('(');

/**
 * Applies a text that names its arguments more than once. Long arguments are given a name first:
 * calls within calls would double the text with each step otherwise. The text may hold no subquery,
 * but the arguments may.
 */
export function bindOnce(
  args: readonly string[],
  apply: (args: readonly string[]) => string,
): string {
  if (args.every(isRepeated)) return apply(args);
  return bindOutside(args, apply);
}

/**
 * Applies a text to names of the arguments. It may put them into a lambda, where DuckDB takes a
 * name, but no subquery.
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
 * As `bindOutside`, for arguments that come up while the text is made: `named` gives each of them
 * its name.
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

// Fields have places, not names: DuckDB loses the names where the arguments are columns of an outer
// query.
const fieldsOf = (args: readonly string[]) => `row(${args.join(', ')})`;
const fieldOf = (item: string, index: number) => `struct_extract(${item}, ${index + 1})`;

/** A lambda of DuckDB with one parameter. One inside of it has a parameter of another name. */
export function lambda(body: (item: string) => string): string {
  const item = `v${lambdaDepth++}`;
  try {
    return `lambda ${item}: ${body(item)}`;
  } finally {
    lambdaDepth--;
  }
}

/** A lambda of DuckDB's `list_reduce`: of what is accumulated, and of an item. */
export const foldLambda = (body: (accumulator: string, item: string) => string): string => {
  const [accumulator, item] = [`v${lambdaDepth++}`, `v${lambdaDepth++}`];
  try {
    return `lambda ${accumulator}, ${item}: ${body(accumulator, item)}`;
  } finally {
    lambdaDepth -= 2;
  }
};

let lambdaDepth = 0; // of the lambdas whose text is being made
