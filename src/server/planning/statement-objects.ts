// The objects of a parsed statement or a native query.

/**
 * All objects in a value, including itself. Not recursive, because statements may be deep. Rows of
 * inline data are skipped: they contain values, not parts of a query.
 */
export function* objectsIn(root: unknown): Iterable<Readonly<Record<string, unknown>>> {
  const waiting = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
    for (const [name, field] of Object.entries(value))
      if (typeof field === 'object' && field !== null && name !== 'rows') waiting.push(field);
  }
}
