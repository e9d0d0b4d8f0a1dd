// Fuzzy search in a list of names.

/**
 * The items whose text holds the typed letters in their order, in any case. Texts that hold them
 * together come first, then those where they begin earlier; equal ones keep their order.
 */
export function bestMatches<T>(
  typed: string,
  items: readonly T[],
  textOf: (item: T) => string,
): readonly T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items
    .map((item, at) => ({ item, at, cost: costOf(words, textOf(item).toLowerCase()) }))
    .filter(({ cost }) => Number.isFinite(cost))
    .sort((a, b) => a.cost - b.cost || a.at - b.at)
    .map(({ item }) => item);
}

const costOf = (words: readonly string[], text: string) =>
  words.reduce((sum, word) => sum + costOfWord(word, text), 0);

// The number of skipped letters weighs more than the position of the first one.
function costOfWord(word: string, text: string): number {
  const whole = text.indexOf(word);
  if (whole >= 0) return whole / (text.length + 1);
  const [first = ''] = word;
  const begin = text.indexOf(first);
  let at = begin - 1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return Number.POSITIVE_INFINITY;
  }
  return at - begin - word.length + 2;
}
