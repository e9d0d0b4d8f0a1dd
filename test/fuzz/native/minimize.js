// The smallest query that still shows the same kind of difference, and its shape.
import { smallestOf } from '../smallest.js';
import { changed } from './slips.js';

/**
 * Takes parts away, and puts inner parts in place of outer ones, as long as `shows` says that the
 * difference is still there.
 * @param {object} query @param {(query: object) => Promise<boolean>} shows
 */
export const minimizedQuery = (query, shows) =>
  smallestOf(query, {
    candidates: smallerOnes,
    sizeOf: (one) => JSON.stringify(one).length,
    shows,
    most: 30,
  });

function* smallerOnes(query) {
  const parents = [query];
  for (let at = 0; at < parents.length; at++) {
    const parent = parents[at];
    for (const key of Object.keys(parent)) {
      const value = parent[key];
      if (!['queryType', 'type', 'intervals', 'granularity'].includes(key))
        yield changed(query, { parent, key }, undefined);
      if (value === null || typeof value !== 'object') continue;
      parents.push(value);
      if (Array.isArray(value)) continue;
      for (const inner of Object.values(value).flat())
        if (inner?.type !== undefined || inner?.queryType !== undefined)
          yield changed(
            query,
            { parent, key },
            value.name === undefined ? inner : { ...inner, name: value.name },
          );
    }
  }
}

/** The shape of a query: its type, and the types of its parts. */
export function shapeOfQuery(query) {
  const types = new Set();
  const visit = (value, key) => {
    if (value === null || typeof value !== 'object') return;
    if (typeof value.type === 'string') types.add(value.type);
    else if (!Array.isArray(value) && key !== undefined) types.add(key);
    for (const [inner, item] of Object.entries(value))
      visit(item, Array.isArray(value) ? key : inner);
  };
  visit(query);
  return `${query.queryType} ${[...types].sort().join(' ')}`;
}
