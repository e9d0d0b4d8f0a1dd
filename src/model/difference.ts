// Differences between two documents, field by field, independent of key order.

/**
 * A changed field; a missing value is undefined. The path has the usual notation:
 * `tuningConfig.partitionsSpec.type`, `[2].period`.
 */
export interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * All differences between two JSON values, in the order of their keys. Lists are aligned by
 * insertions and deletions, not compared by position alone.
 */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isSame(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => differences(before[name], after[name], join(path, name)));
  }
  if (Array.isArray(before) && Array.isArray(after)) return inLists(before, after, path);
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/**
 * Whether two JSON values are equivalent. An integer as a number equals the same integer as a
 * bigint.
 */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isNumber(one) && isNumber(other)) return String(one) === String(other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

/** The same value with sorted keys in all objects, so that equal values have equal texts. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortKeys(value[name])]),
  );
}

/** The same value without null fields, for interfaces that write null for a missing field. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === null || field === undefined ? [] : [[name, withoutNulls(field)]],
    ),
  );
}

/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

// Common items in the same order are skipped. Between them, opposite items are compared; the rest
// was added or removed.
function inLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): Difference[] {
  const found: Difference[] = [];
  let [left, right] = [0, 0];
  for (const [oldAt, newAt] of [...common(before, after), [before.length, after.length] as const]) {
    for (; left < oldAt && right < newAt; left++, right++)
      found.push(...differences(before[left], after[right], `${path}[${right + 1}]`));
    for (; left < oldAt; left++) found.push({ path: `${path}[${left + 1}]`, before: before[left] });
    for (; right < newAt; right++)
      found.push({ path: `${path}[${right + 1}]`, after: after[right] });
    [left, right] = [oldAt + 1, newAt + 1];
  }
  return found;
}

// The positions of a longest common subsequence. Lists of thousands of items are compared by
// position, because their differences are too long to read.
function common(
  before: readonly unknown[],
  after: readonly unknown[],
): (readonly [number, number])[] {
  if (before.length * after.length > 250_000)
    return before.flatMap((item, at) => (isSame(item, after[at]) ? [[at, at] as const] : []));
  const lengths = Array.from(
    { length: before.length + 1 },
    () => new Uint16Array(after.length + 1),
  );
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      (lengths[row] as Uint16Array)[column] = isSame(before[row], after[column])
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  const places: (readonly [number, number])[] = [];
  for (let [row, column] = [0, 0]; row < before.length && column < after.length; ) {
    if (isSame(before[row], after[column])) places.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return places;
}

// A name that is not a plain word is quoted, because the path would be ambiguous:
// ["bootstrap.servers"].
const join = (path: string, name: string) =>
  /^[\w-]+$/.test(name)
    ? path === ''
      ? name
      : `${path}.${name}`
    : `${path}[${JSON.stringify(name)}]`;
