// The smallest form of what shows a difference.

/**
 * Replaces the given one by smaller candidates as long as `shows` says that the difference is still
 * there, with at most `most` questions.
 * @template One
 * @param {One} given
 * @param {{ readonly candidates: (one: One) => Iterable<One>, readonly sizeOf: (one: One) => number,
 *   readonly shows: (one: One) => Promise<boolean>, readonly most: number }} how
 */
export async function smallestOf(given, { candidates, sizeOf, shows, most }) {
  let best = given;
  let asked = 0;
  for (let isSmaller = true; isSmaller && asked < most; ) {
    isSmaller = false;
    const size = sizeOf(best);
    for (const candidate of candidates(best)) {
      if (sizeOf(candidate) >= size) continue;
      if (++asked > most) break;
      if (!(await shows(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}
