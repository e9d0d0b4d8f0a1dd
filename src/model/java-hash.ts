// Hash codes of Java, and the iteration order of its hash tables.

/** Java's String.hashCode. */
export function hashCodeOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = chain(hash, text.charCodeAt(at));
  return hash;
}

/** The hash code of a list extended by one item, as in java.util.List.hashCode. */
export const chain = (hash: number, item: number): number => (Math.imul(31, hash) + item) | 0;

/**
 * The items in the iteration order of a java.util.HashMap: by slot in its table, whose size follows
 * from their number, then in order of insertion.
 */
export function inHashOrder<Item>(
  items: readonly Item[],
  hashOf: (item: Item) => number,
): readonly Item[] {
  if (items.length < 2) return items;
  let places = 16;
  while (items.length > places * 0.75) places *= 2;
  return items
    .map((item) => {
      const hash = hashOf(item);
      return { item, place: (hash ^ (hash >>> 16)) & (places - 1) };
    })
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
