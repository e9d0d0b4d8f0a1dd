// "Did you mean" suggestions by the distance of words in keystrokes.

/**
 * Returns the known word with the fewest keystrokes of difference, or undefined when more than a
 * third of the word differs. Of several, the first with the same first letter is meant.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const distances = known.map((candidate) => ({
    candidate,
    distance: keystrokes(lower, candidate.toLowerCase()),
    isOtherStart: Number(candidate[0]?.toLowerCase() !== lower[0]),
  }));
  const [best] = distances.sort(
    (a, b) => a.distance - b.distance || a.isOtherStart - b.isOtherStart,
  );
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : undefined;
}

/**
 * Returns the number of insertions, deletions, replacements and transpositions between two words
 * (Damerau and Levenshtein).
 */
export function keystrokes(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const [above = [], twoAbove = []] = [rows[i - 1], rows[i - 2]];
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (twoAbove[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}
