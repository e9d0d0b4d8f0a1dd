// Texts that name their arguments several times.

// Up to here a text is repeated as it is: DuckDB computes equal texts once, as long as there are few.
const longestRepeated = 120;

/**
 * Applies a text that names its arguments more than once. Long arguments are given a name first: calls within calls would double the text with each
 * step otherwise. The text may hold no subquery, but the arguments may.
 */
export function bindOnce(args: readonly string[], apply: (args: readonly string[]) => string): string {
  if (args.every(({ length }) => length <= longestRepeated)) return apply(args);
  const body = lambda((item) => apply(args.map((_, index) => `${item}.a${index}`)));
  return `list_transform([{${args.map((arg, index) => `a${index}: ${arg}`).join(', ')}}], ${body})[1]`;
}

/** A lambda of DuckDB with one parameter. One inside of it has a parameter of another name. */
export function lambda(body: (item: string) => string): string {
  const item = `v${lambdaDepth++}`;
  try {
    return `lambda ${item}: ${body(item)}`;
  } finally {
    lambdaDepth--;
  }
}

let lambdaDepth = 0; // of the lambdas whose text is being made
