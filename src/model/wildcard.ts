// File names by wildcards: `*` for any characters, `?` for one.

/** Whether a name matches a filter as a whole, in time of at most their lengths multiplied. */
export function matchesWildcard(name: string, filter: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1; // the last one met, and up to where it reaches
  let reached = 0;
  while (at < name.length) {
    if (filter[place] === '*') {
      star = place++;
      reached = at;
    } else if (filter[place] === '?' || filter[place] === name[at]) {
      place++;
      at++;
    } else if (star >= 0) {
      // A star before the last one need not be tried again: it would only leave less to the last
      // one.
      place = star + 1;
      at = ++reached;
    } else return false;
  }
  while (filter[place] === '*') place++;
  return place === filter.length;
}
