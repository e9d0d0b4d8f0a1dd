// Fields of a query whose names decide their types wherever they are. The engine reads a query as a
// whole, so that it refuses such a field with another type even where it does not need the value.
import { isNode, malformed, type Node, truthOr } from './members.ts';
import { isOrdering } from './ordering.ts';

/** Throws SqlError if a field somewhere in the query is of another type than the engine reads. */
export function checkFields(query: Node): void {
  const waiting: unknown[] = [query];
  while (waiting.length > 0) {
    const given = waiting.pop();
    const parts = Array.isArray(given) ? given : isNode(given) ? partsOf(given) : [];
    for (const part of parts) if (typeof part === 'object') waiting.push(part);
  }
}

function partsOf(node: Node): unknown[] {
  const parts: unknown[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (ofCallers.has(key) || typeof value === 'bigint') continue;
    if (booleans.has(key)) truthOr(node, key, false);
    else if (value !== null) checkKind(node, key, value);
    if (typeof value === 'object') parts.push(value);
  }
  return parts;
}

function checkKind(node: Node, key: string, value: unknown): void {
  const fault =
    texts.has(key) && typeof value === 'object'
      ? 'mismatch'
      : types.has(key)
        ? faultOfType(key, value)
        : constants.has(key) && typeof value === 'object'
          ? 'construction'
          : comparators.has(key) && !ofOtherOrder.has(node.type) && isNoComparator(value)
            ? 'mismatch'
            : undefined;
  if (fault !== undefined)
    throw malformed(`[${key}] of [${String(node.type)}] must be a text`, fault);
  if (key === 'values' && ofTexts.has(node.type)) checkTexts(value);
}

// The values of a set of texts.
function checkTexts(given: unknown): void {
  if (!Array.isArray(given) || given.some((each) => typeof each === 'object' && each !== null))
    throw malformed('[values] must be a list of texts', 'mismatch');
}

// A type is a text, or an object with the name of a type.
function faultOfType(key: string, value: unknown) {
  if (typeof value === 'string') return undefined;
  const isNamed = isNode(value) && (typeof value.type === 'string' || key === 'matchValueType');
  return isNamed ? 'construction' : 'mismatch';
}

// A comparator is a name, or an object with the name as its type.
const isNoComparator = (value: unknown): boolean =>
  typeof value !== 'string' && !(isNode(value) && isOrdering(value.type));

const booleans: ReadonlySet<string> = new Set([
  'alphaNumeric',
  'asMillis',
  'byRow',
  'finalizeAsBase64Binary',
  'injective',
  'isAllowList',
  'isInputHyperUnique',
  'isInputThetaSketch',
  'isOneToOne',
  'joda',
  'lowerOpen',
  'lowerStrict',
  'optimize',
  'processFromRaw',
  'retainMissingValue',
  'round',
  'shouldFinalize',
  'upperOpen',
  'upperStrict',
  'useJqSyntax',
  'usingDefaultInterval',
]);

// Numbers and conditions are texts too.
const texts: ReadonlySet<string> = new Set([
  'locale',
  'name',
  'outputName',
  'replaceMissingValueWith',
  'timeZone',
  'value',
]);

// Names of constants; the engine builds one from nothing if it reads no text.
const constants: ReadonlySet<string> = new Set(['direction', 'order', 'resultFormat']);

const comparators: ReadonlySet<string> = new Set(['dimensionOrder', 'ordering']);

// Their [ordering] is a text.
const ofOtherOrder: ReadonlySet<unknown> = new Set(['arithmetic', 'expression']);

// Their [values] are texts.
const ofTexts: ReadonlySet<unknown> = new Set(['in', 'listFiltered', 'mv-filtered']);

const types: ReadonlySet<string> = new Set([
  'elementMatchValueType',
  'expectedType',
  'matchValueType',
  'outputType',
]);

// Callers name the fields of these.
const ofCallers: ReadonlySet<string> = new Set(['context', 'map', 'rows']);
