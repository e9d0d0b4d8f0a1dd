// Values of context parameters: their types and the names of enumerations.

import { Refusal } from './refusals.ts';

export const badContextValue = (key: string, expected: string, value: unknown) =>
  wrongContextValue(key, `in ${expected} format`, value);

export const wrongContextValue = (key: string, expected: string, value: unknown) =>
  contextRefusal(`Expected key [${key}] to be ${expected}, but got [${formatValue(value)}]`);

/** The refusal of a value of the context (Druid: BadQueryContextException). */
export const contextRefusal = (message: string) =>
  new Refusal('invalidInput', message, {
    legacy: {
      code: 'Query context parse failed',
      errorClass: 'org.apache.druid.query.BadQueryContextException',
    },
  });

/** The type that the real engine reads a parameter as. Each also takes a text. */
export type ContextType = 'Boolean' | 'Integer' | 'Long' | 'Size' | 'String';

/** The first parameter of another type, with the message of the real engine; undefined if none. */
export function wrongTypeIn(
  context: Readonly<Record<string, unknown>>,
  types: Readonly<Record<string, ContextType>>,
): { readonly key: string; readonly message: string } | undefined {
  for (const [key, type] of Object.entries(types)) {
    const given = context[key] ?? undefined;
    const mismatch = given === undefined ? undefined : mismatchOf(given, type);
    if (mismatch !== undefined) return { key, message: `Expected key [${key}] to be ${mismatch}` };
  }
  return undefined;
}

// The words for a value of another type; undefined for a value of the type. A condition is false
// unless its text is the word true.
function mismatchOf(given: unknown, type: ContextType): string | undefined {
  if (type === 'String' || type === 'Boolean') {
    if (typeof given === 'string' || typeof given === type.toLowerCase()) return undefined;
    return `a ${type}, but got [${javaClassOf(given)}]`;
  }
  if (typeof given === 'number' || typeof given === 'bigint') return undefined;
  if (typeof given !== 'string') return `${numberNames[type]}, but got [${javaClassOf(given)}]`;
  if (type === 'Size')
    return /^-?\d+([KMGTP]i?B?)?$/i.test(given.trim())
      ? undefined
      : `${numberNames[type]}, but got [${given}]`;
  return Number.isNaN(intOf(given))
    ? `in ${type.toLowerCase()} format, but got [${given}]`
    : undefined;
}

const numberNames = { Integer: 'an Integer', Long: 'a Long', Size: 'a human readable number' };

/** A number or a text as an int of Java; NaN for any other text. */
export function intOf(given: unknown): number {
  if (typeof given === 'bigint') return Number(BigInt.asIntN(32, given));
  if (typeof given !== 'string') return Math.trunc(Number(given));
  if (!/^[+-]?\d+(\.\d*)?$/.test(given)) return Number.NaN;
  return Math.trunc(Number(given));
}

/** The Java class of a JSON value, as messages of the real engine name it. */
export const javaClassOf = (given: unknown) =>
  typeof given === 'boolean'
    ? 'java.lang.Boolean'
    : typeof given === 'number' && Number.isInteger(given)
      ? 'java.lang.Integer'
      : typeof given === 'number'
        ? 'java.lang.Double'
        : typeof given === 'bigint'
          ? bigClassOf(given)
          : Array.isArray(given)
            ? 'java.util.ArrayList'
            : 'java.util.LinkedHashMap';

const bigClassOf = (given: bigint) =>
  BigInt.asIntN(64, given) === given ? 'java.lang.Long' : 'java.math.BigInteger';

const formatValue = (value: unknown) =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/**
 * The value of a context parameter, in capitals, as a name of an enumeration of the real engine;
 * undefined without the parameter. Throws a Refusal for an unknown name (Druid:
 * QueryContexts.getAsEnum).
 */
export function oneOfNames<const Name extends string>(
  context: Readonly<Record<string, unknown>>,
  key: string,
  enumeration: string,
  names: readonly Name[],
): Name | undefined {
  const value = context[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string')
    throw wrongContextValue(key, `of type [${enumeration}]`, javaClassOf(value));
  const found = names.find((name) => name === value.toUpperCase());
  if (!found)
    throw wrongContextValue(
      key,
      `referring to one of the values [${names.join(',')}] of enum [${enumeration}]`,
      value,
    );
  return found;
}
