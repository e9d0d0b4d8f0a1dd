// Values of nested data that a condition reads again and again are read once per row.

/**
 * A FROM and a WHERE with the same meaning, in which a value that is read at least four times is a column of a subselect. DuckDB shares no work
 * between the parts of a condition. `from` is changed only when it is one relation with a name, in parentheses.
 */
export function withRepeatedValues(from: string, where: string): { readonly from: string; readonly where: string } {
  const name = /^\(.*\) AS ("(?:[^"]|"")+")$/s.exec(from)?.[1];
  if (name === undefined) return { from, where };
  const counts = new Map<string, number>();
  for (const [text] of where.matchAll(nestedValue)) if (text.includes(`(${name}.`)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const repeated = [...counts].filter(([, count]) => count >= 4).map(([text]) => text);
  if (repeated.length === 0) return { from, where };
  const columns = repeated.map((text, index) => `druid_once(${text}) AS "__value${index}"`);
  return {
    from: `(SELECT *, ${columns.join(', ')} FROM ${from}) AS ${name}`,
    where: where.replace(nestedValue, (text) => (repeated.includes(text) ? `${name}."__value${repeated.indexOf(text)}"` : text)),
  };
}

// Within a text constant the apostrophe before `$` would be doubled, so this finds no constants.
const nestedValue = /druid_json_value\(json_extract\("(?:[^"]|"")+"\."(?:[^"]|"")+", '\$(?:[^']|'')*'\)\)/g;
