// A statement as a tree of parts, so that the minimizer can take it apart: it replaces a part by a
// simpler one of the same kind, wherever it stands.

/**
 * A part of a statement: texts and further parts, one after the other.
 * @param {string} kind what it is: `text`, `long`, `condition`, `statement` …
 * @param {readonly (string | object)[]} parts
 */
export const part = (kind, parts) => ({ kind, parts });

/** Items with a separator, of which `least` must stay. @param {readonly object[]} items */
export const list = (items, separator = ', ', least = 1) => ({
  kind: 'list',
  items,
  separator,
  least,
});

/** What a statement may have or not: a WHERE, a LIMIT. */
export const optional = (...parts) => ({ kind: 'optional', parts });

/** The text of a part. */
export function textOf(one) {
  if (typeof one === 'string') return one;
  if (one.kind === 'list') return one.items.map(textOf).join(one.separator);
  return one.parts.map(textOf).join('');
}

/** All parts below one, itself first, those near the root before those near the leaves. */
export function partsBelow(root) {
  const found = [root];
  for (let at = 0; at < found.length; at++) {
    for (const inner of found[at].items ?? found[at].parts)
      if (typeof inner !== 'string' && !found.includes(inner)) found.push(inner);
  }
  return found;
}

/**
 * The same tree with another part in each place where `old` stands: a key that is both selected and
 * grouped by stays one.
 */
export function replaced(root, old, other) {
  if (root === old) return other;
  if (typeof root === 'string') return root;
  const inner = root.items ?? root.parts;
  const now = inner.map((one) => replaced(one, old, other));
  if (now.every((one, at) => one === inner[at])) return root;
  return root.items ? { ...root, items: now } : { ...root, parts: now };
}
