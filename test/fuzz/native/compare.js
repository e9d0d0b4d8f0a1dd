// Comparison of replies to native queries: values instead of bytes, doubles within a tolerance,
// refusals by status and error.
import { areNearlySame, areSame } from '../sql/compare.js';
import { jsonOf, numberText, shown } from '../sql/service.js';

// Each service makes its own versions of segments.
const version = /(?<=\d{4}-\d\d-\d\dT00:00:00\.000Z)_\d{4}-[\w:.-]+Z(?=["_])/g;

/**
 * What the left reply does otherwise than the right one: `undefined` for nothing, else its kind and
 * a sentence. The query decides which numbers are estimates and which values may be others.
 * @param {{ status: number, text: string }} left @param {{ status: number, text: string }} right
 * @param {object} query
 */
export function nativeDifferenceOf(left, right, query) {
  const [ours, theirs] = [left, right].map(({ text }) => jsonOf(text.replaceAll(version, '')));
  if (left.status === 500 && /internal error/i.test(left.text))
    return { kind: 'internal error', detail: left.text.slice(0, 400) };
  if (left.status === 0 || (left.status === 200 && ours === undefined))
    return { kind: 'no reply', detail: left.text.slice(-400) };
  // A reply that breaks off there says nothing.
  if ([0, 429, 504].includes(right.status) || theirs === undefined) return undefined;
  if (left.status !== 200 && right.status !== 200) return refusalsDiffer(left, right, ours, theirs);
  if (left.status !== 200) return { kind: 'refused here', detail: wordsOf(left, ours) };
  if (right.status !== 200)
    return {
      kind: right.status >= 500 && right.status !== 501 ? 'failed there' : 'refused there',
      detail: wordsOf(right, theirs),
    };
  if (areSame(ours, theirs) || haveSameRanks(ours, theirs, query)) return undefined;
  if (isEstimated(query) && areNearlySame(withoutSketches(ours), withoutSketches(theirs)))
    return undefined;
  if (areSame(unordered(ours), unordered(theirs)))
    return { kind: 'order', detail: firstDifference(ours, theirs) };
  return { kind: 'values', detail: firstDifference(ours, theirs) };
}

// The order of rows decides what these sketches keep.
const isEstimated = (query) =>
  /"(HLLSketch|quantilesDoubles|cardinality|hyperUnique|size":)/.test(JSON.stringify(query));

// Their bytes are texts in base64.
const withoutSketches = (value) =>
  typeof value === 'string' && /^[AC][\w+/]{7,}=*$/.test(value)
    ? 'sketch'
    : Array.isArray(value)
      ? value.map(withoutSketches)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [key, withoutSketches(item)]),
          )
        : value;

// Which of the values with the same metric are the last ones of a topN is left to the engine.
function haveSameRanks(ours, theirs, { queryType, metric, threshold }) {
  if (queryType !== 'topN') return false;
  const name = typeof metric === 'string' ? metric : (metric?.metric?.metric ?? metric?.metric);
  if (typeof name !== 'string' || ours.length !== theirs.length) return false;
  const rankOf = ({ result }) => result.map((row) => row[name] ?? null);
  return theirs.every((item, at) => {
    if (areSame(item, ours[at])) return true;
    const ranks = rankOf(item);
    const isCut = numberText(ranks.at(-1)) !== undefined || ranks.at(-1) === null;
    return ranks.length === threshold && isCut && areSame(rankOf(ours[at]), ranks);
  });
}

const wordsOf = ({ status, text }, error) =>
  `${status} ${error?.error}: ${error?.errorMessage ?? text} (${error?.errorClass ?? error?.category})`.slice(
    0,
    400,
  );

function refusalsDiffer(left, right, ours, theirs) {
  const fields = ['error', 'errorCode', 'category', 'persona', 'errorClass'];
  const differs = fields.some((field) => ours?.[field] !== theirs[field]);
  if (!differs && left.status === right.status) return undefined;
  return {
    kind: 'another refusal',
    detail: `${wordsOf(left, ours)} INSTEAD OF ${wordsOf(right, theirs)}`,
  };
}

const unordered = (value) =>
  Array.isArray(value)
    ? value.map(unordered).sort((one, other) => (shown(one) < shown(other) ? -1 : 1))
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, unordered(value[key])]),
        )
      : value;

function firstDifference(ours, theirs) {
  const isPair = (kind) => kind(ours) && kind(theirs);
  if (isPair(Array.isArray)) {
    if (ours.length !== theirs.length)
      return `${ours.length} items instead of ${theirs.length}: ${shown(ours).slice(0, 200)} INSTEAD OF ${shown(theirs).slice(0, 200)}`;
    const at = theirs.findIndex((item, index) => !areSame(item, ours[index]));
    if (typeof theirs[at] === 'object' && theirs[at] !== null && hasList(theirs[at]))
      return firstDifference(ours[at], theirs[at]);
    return `item ${at}: ${shown(ours[at])} instead of ${shown(theirs[at])}`.slice(0, 600);
  }
  for (const key of ['result', 'events', 'event']) {
    if (isPair((one) => Array.isArray(one?.[key])) && !areSame(ours[key], theirs[key]))
      return firstDifference(ours[key], theirs[key]);
  }
  return `${shown(ours)} instead of ${shown(theirs)}`.slice(0, 600);
}

const hasList = (item) => Array.isArray(item.result) || Array.isArray(item.events);
