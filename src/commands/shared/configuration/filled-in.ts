import { isObject } from '../../../model/difference.ts';

/**
 * A document with default values for missing fields; nested objects are completed field by field.
 */
export function fillIn(document: unknown, usual: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(document)) return document;
  const fields = Object.entries(usual).map(([name, value]) => {
    const given = document[name];
    return [
      name,
      given === undefined
        ? value
        : isObject(given) && isObject(value)
          ? fillIn(given, value)
          : given,
    ] as const;
  });
  return { ...document, ...Object.fromEntries(fields) };
}
