// Fields of a query whose names decide their types wherever they are. The engine reads a query as a
// whole, so that it refuses such a field with another type even where it does not need the value.
import { isNode, malformed, type Node, truthOr } from './members.ts';

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
    else if (value !== null && (texts.has(key) ? typeof value === 'object' : isNoType(key, value)))
      throw malformed(`[${key}] of [${String(node.type)}] must be a text`, 'mismatch');
    else if (typeof value === 'object') parts.push(value);
  }
  return parts;
}

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
]);

// The name of a type is nothing but a text.
const isNoType = (key: string, value: unknown) => types.has(key) && typeof value !== 'string';

const types: ReadonlySet<string> = new Set([
  'elementMatchValueType',
  'expectedType',
  'matchValueType',
  'outputType',
]);

// Callers name the fields of these.
const ofCallers: ReadonlySet<string> = new Set(['context', 'map', 'rows']);
