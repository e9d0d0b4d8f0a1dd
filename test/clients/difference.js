// Comparison of client replies: numbers within double precision, errors by class.

/** What differs, with its place; undefined when nothing does. */
export function differenceOf(expected, actual) {
  if (actual === undefined) return 'there is no reply';
  if (expected.error !== undefined || actual.error !== undefined)
    return expected.error === actual.error
      ? undefined
      : `error [${shown(expected.error)}] became [${shown(actual.error)}]: ${actual.message ?? ''}`;
  return valueDifference(expected.reply, actual.reply, 'reply');
}

function valueDifference(a, b, place) {
  if (typeof a === 'number' && typeof b === 'number')
    return isNear(a, b) ? undefined : different(a, b, place);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return a === b ? undefined : different(a, b, place);
  if (Array.isArray(a) !== Array.isArray(b)) return different(a, b, place);
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  for (const name of names) {
    const found = valueDifference(a[name], b[name], `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isNear = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
const different = (a, b, place) => `${place}: [${shown(a)}] became [${shown(b)}]`;
const shown = (value) => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
