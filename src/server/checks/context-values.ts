// Values of context parameters that are enumerations.

import { Refusal } from './refusals.ts';

export const badContextValue = (key: string, expected: string, value: unknown) =>
  wrongContextValue(key, `in ${expected} format`, value);

export const wrongContextValue = (key: string, expected: string, value: unknown) =>
  new Refusal(
    'invalidInput',
    `Expected key [${key}] to be ${expected}, but got [${formatValue(value)}]`,
    {
      legacy: {
        code: 'Query context parse failed',
        errorClass: 'org.apache.druid.query.BadQueryContextException',
      },
    },
  );

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
