// The forms of a lookup: `{version, lookupExtractorFactory}`, and the factory by itself (Druid:
// querying/lookups).
import { isObject } from './difference.ts';

type Values = Readonly<Record<string, unknown>>;

/** What the service stores of a lookup. */
export interface LookupDocument {
  readonly version?: string;
  readonly lookupExtractorFactory: Values;
}

/**
 * A document as a lookup: one with a `lookupExtractorFactory`, or the factory itself, which has a
 * known type and the fields of that type. Undefined for other documents.
 */
export function lookupIn(document: unknown): LookupDocument | undefined {
  if (!isObject(document)) return undefined;
  const { version, lookupExtractorFactory, type } = document;
  if (isObject(lookupExtractorFactory))
    return { ...(typeof version === 'string' && { version }), lookupExtractorFactory };
  const field = typeof type === 'string' ? fieldOf.get(type) : undefined;
  const value = field === undefined ? undefined : document[field];
  const isFactory = type === 'kafka' ? typeof value === 'string' : isObject(value);
  return isFactory ? { lookupExtractorFactory: document } : undefined;
}

/**
 * Why a factory is not that of a lookup, as the end of a sentence; undefined when it is. What nodes
 * fetch is not looked at. `faultInPairs` looks at the pairs, of which there may be a million.
 */
export function faultInFactory(
  factory: Values,
  faultInPairs: (map: Values) => string | undefined = faultInMap,
): string | undefined {
  const { type } = factory;
  if (typeof type !== 'string')
    return `its lookupExtractorFactory has no type: it is one of [${[...fieldOf.keys()].join(', ')}]`;
  const field = fieldOf.get(type);
  if (field === undefined)
    return `its type [${type}] is not one of [${[...fieldOf.keys()].join(', ')}]`;
  const value = factory[field];
  if (type === 'kafka')
    return typeof value === 'string'
      ? undefined
      : 'a lookup of type [kafka] needs a text as [kafkaTopic]';
  if (!isObject(value)) return `a lookup of type [${type}] needs an object as [${field}]`;
  if (type === 'map') return faultInPairs(value);
  return type === 'cachedNamespace' ? faultInNamespace(value, faultInPairs) : undefined;
}

// The types of the real engine and of its extensions, each with the field that it cannot lack.
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['map', 'map'],
  ['cachedNamespace', 'extractionNamespace'],
  ['kafka', 'kafkaTopic'],
  ['loadingLookup', 'dataFetcher'],
  ['pollingLookup', 'dataFetcher'],
]);

const namespaceTypes = ['uri', 'jdbc', 'staticMap'];

function faultInNamespace(
  { type, map }: Values,
  faultInPairs: (map: Values) => string | undefined,
): string | undefined {
  if (typeof type !== 'string' || !namespaceTypes.includes(type))
    return `the type [${String(type)}] of its extractionNamespace is not one of [${namespaceTypes.join(', ')}]`;
  if (type !== 'staticMap') return undefined;
  return isObject(map)
    ? faultInPairs(map)
    : 'an extractionNamespace of type [staticMap] needs an object as [map]';
}

/**
 * Why pairs are not those of a lookup: numbers and truths become texts, as in the real engine,
 * lists and objects do not.
 */
export function faultInMap(map: Values): string | undefined {
  const key = Object.keys(map).find((name) => typeof map[name] === 'object' && map[name] !== null);
  return key === undefined ? undefined : faultOfValue(key, Array.isArray(map[key]));
}

/** The end of a sentence that refuses a list or an object as the value of a lookup. */
export const faultOfValue = (key: string, isList: boolean): string =>
  `the value of key [${key}] is ${isList ? 'a list' : 'an object'}, and must be a text`;
