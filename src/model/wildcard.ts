// Wildcard patterns for file names: `*` for any characters, `?` for one.

/** Whether a whole name matches a pattern, in time of at most the product of their lengths. */
export function matchesWildcard(name: string, filter: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1; // the last star, and the end of its match
  let reached = 0;
  while (at < name.length) {
    if (filter[place] === '*') {
      star = place++;
      reached = at;
    } else if (filter[place] === '?' || filter[place] === name[at]) {
      place++;
      at++;
    } else if (star >= 0) {
      // Backtracking to an earlier star is unnecessary: it would only leave less text for the last
      // one.
      place = star + 1;
      at = ++reached;
    } else return false;
  }
  while (filter[place] === '*') place++;
  return place === filter.length;
}
