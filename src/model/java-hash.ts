// Java's hash codes, and the order that its hash tables give their entries.

/** String.hashCode of Java. */
export function hashCodeOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = chain(hash, text.charCodeAt(at));
  return hash;
}

/** The hash code of a list that is one item longer, as java.util.List.hashCode computes it. */
export const chain = (hash: number, item: number): number => (Math.imul(31, hash) + item) | 0;

/**
 * The items in the order in which a java.util.HashMap that they are put into gives them: by place
 * in its table, whose size follows from their number, and then as they came.
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
