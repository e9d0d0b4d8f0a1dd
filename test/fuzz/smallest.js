// The smallest form of what shows a difference.

/**
 * Replaces the given one by smaller candidates as long as `shows` says that the difference is still
 * there, with at most `most` questions.
 * @template One
 * @param {One} given
 * @param {object} how
 * @param {(one: One) => Iterable<One>} how.candidates
 * @param {(one: One) => number} how.sizeOf
 * @param {(one: One) => Promise<boolean>} how.shows
 * @param {number} how.most
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
