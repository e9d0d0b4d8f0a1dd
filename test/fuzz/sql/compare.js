// Comparison of replies: values instead of bytes, rows in any order except ORDER BY, doubles within
// a tolerance, refusals by kind.
import { jsonOf, numberText, shown } from './service.js';

const tolerance = 1e-9;
const estimateTolerance = 0.1; // of what the engine estimates and the service counts

/**
 * What the left reply does otherwise than the right one: `undefined` for nothing, else its kind and
 * a sentence.
 * @param {readonly number[]} order the columns that the statement's ORDER BY decides
 * @param {boolean} isEstimated whether the numbers are estimates
 */
export function differenceOf(left, right, order = [], isEstimated = false) {
  const leftFails = left.status !== 200;
  const rightFails = right.status !== 200;
  if (isInternal(left))
    return { kind: 'internal error', detail: `${left.status} ${left.error.errorMessage}` };
  if (left.status === 0 || left.status === 504)
    return { kind: 'no reply', detail: `${left.status} ${left.error.errorMessage}` };
  if (leftFails && rightFails) return refusalsDiffer(left, right);
  if (leftFails) return { kind: 'refused here', detail: `${left.status} ${wordsOf(left.error)}` };
  if (rightFails) {
    // Too much for it is not for us
    if ([0, 429, 504].includes(right.status)) return undefined;
    return {
      kind: right.status >= 500 && right.status !== 501 ? 'failed there' : 'refused there',
      detail: `${right.status} ${wordsOf(right.error)}`,
    };
  }
  for (const what of ['columns', 'sqlTypes', 'nativeTypes']) {
    if (shown(left[what]) !== shown(right[what]))
      return { kind: what, detail: `${shown(left[what])} instead of ${shown(right[what])}` };
  }
  return rowsDiffer(left.rows, right.rows, order, isEstimated ? nearlySame : same);
}

// What nobody has foreseen says so.
const isInternal = ({ status, error }) =>
  status === 500 && /internal error/i.test(error?.errorMessage ?? '');

/** Whether two values of `jsonOf` are the same, whatever the order of keys. */
export const areSame = (one, other) => same(one, other);

/** Whether they are the same but for the numbers, which are estimates. */
export const areNearlySame = (one, other) => nearlySame(one, other);

const wordsOf = (error) => `${error.errorCode ?? error.error}: ${error.errorMessage}`.slice(0, 400);

// Where the right one fails within, any failure will do.
function refusalsDiffer(left, right) {
  if (right.status >= 500 && right.status !== 501) return undefined;
  const wrong = ['category', 'errorCode'].find(
    (field) => right.error[field] !== undefined && left.error[field] !== right.error[field],
  );
  if (wrong === undefined && left.status === right.status) return undefined;
  return {
    kind: 'another refusal',
    detail: `${left.status} ${wordsOf(left.error)} INSTEAD OF ${right.status} ${wordsOf(right.error)}`,
  };
}

function rowsDiffer(left, right, order, same) {
  if (left.length !== right.length)
    return { kind: 'values', detail: `${left.length} rows instead of ${right.length}` };
  if (right.every((row, at) => same(row, left[at]))) return undefined;
  const decided = order.slice(0, 1); // what follows the first one decides only among equals
  const misplaced = right.findIndex((row, at) =>
    decided.some((column) => !same(row[column], left[at][column])),
  );
  const rest = [...left];
  const missing = right.find((row) => {
    const at = rest.findIndex((candidate) => same(row, candidate));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  if (missing) return { kind: 'values', detail: `${shown(rest[0])} instead of ${shown(missing)}` };
  return misplaced < 0
    ? undefined
    : {
        kind: 'order',
        detail: `row ${misplaced} is ${shown(left[misplaced])} instead of ${shown(right[misplaced])}`,
      };
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

const nearlySame = (one, other) => {
  if (same(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => nearlySame(value, other[at]));
  if (isObject(one) && isObject(other))
    return Object.keys(other).every((key) => nearlySame(one[key] ?? null, other[key]));
  const [a, b] = [numberText(one), numberText(other)].map(Number);
  return Math.abs(a - b) <= estimateTolerance * Math.max(Math.abs(a), Math.abs(b));
};

function same(one, other) {
  if (one === other) return true;
  const [a, b] = [numberText(one), numberText(other)];
  if (a !== undefined || b !== undefined)
    return a !== undefined && b !== undefined && sameNumber(a, b);
  if (typeof one === 'string' && typeof other === 'string') return sameTexts(one, other);
  if (
    one === null ||
    other === null ||
    typeof one !== 'object' ||
    typeof other !== 'object' ||
    Array.isArray(one) !== Array.isArray(other)
  )
    return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && same(one[key], other[key]))
  );
}

// Arrays and nested data come as JSON in a text.
function sameTexts(one, other) {
  if (!/^[[{]/.test(one) || !/^[[{]/.test(other)) return false;
  const [a, b] = [jsonOf(one), jsonOf(other)];
  return a !== undefined && b !== undefined && same(a, b);
}

function sameNumber(one, other) {
  if (!/[.eE]/.test(one + other)) return BigInt(one) === BigInt(other);
  const [a, b] = [Number(one), Number(other)];
  return Math.abs(a - b) <= Math.max(1e-12, tolerance * Math.max(Math.abs(a), Math.abs(b)));
}
