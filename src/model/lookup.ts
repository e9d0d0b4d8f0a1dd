// The forms of a lookup: `{version, lookupExtractorFactory}`, and the factory by itself (Druid:
// querying/lookups).
import { isObject } from './difference.ts';

type Values = Readonly<Record<string, unknown>>;

/** A lookup as the service stores it. */
export interface LookupDocument {
  readonly version?: string;
  readonly lookupExtractorFactory: Values;
}

/**
 * A document as a lookup: one with a `lookupExtractorFactory`, or the factory itself, recognized by
 * a known type and the fields of that type. Undefined for other documents.
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
 * The fault in a lookup's factory, as the end of a sentence; undefined when it is valid. Data that
 * nodes fetch is not checked. `faultInPairs` checks the pairs, of which there may be a million.
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

// Types of the real engine and its extensions, each with its required field.
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
 * The fault in the pairs of a lookup. Numbers and booleans become texts, as in the real engine;
 * lists and objects are refused.
 */
export function faultInMap(map: Values): string | undefined {
  const key = Object.keys(map).find((name) => typeof map[name] === 'object' && map[name] !== null);
  return key === undefined ? undefined : faultOfValue(key, Array.isArray(map[key]));
}

/** The end of an error message for a list or an object as a lookup's value. */
export const faultOfValue = (key: string, isList: boolean): string =>
  `the value of key [${key}] is ${isList ? 'a list' : 'an object'}, and must be a text`;
