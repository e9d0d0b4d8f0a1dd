// Adapter for the package yaml, the only module that imports it.
import { parse, stringify } from 'yaml';
import type { RowLayout } from './formats.ts';

// Long texts are not folded: callers wrap them to their own width.
export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0 });

export const yaml: RowLayout = { row: ({ value }) => yamlOf([value]), empty: '[]\n' };

/**
 * YAML for files under version control: sorted keys, no folded lines, and quotes around words that
 * older parsers read as booleans or numbers.
 */
export const yamlFileOf = (value: unknown): string =>
  stringify(value, { sortMapEntries: true, lineWidth: 0, compat: 'yaml-1.1' });

/**
 * The value of a YAML (or JSON) text; integers beyond a double are bigints. Throws an error with
 * the position.
 */
export const yamlIn = (text: string): unknown =>
  narrow(parse(text, { intAsBigInt: true, prettyErrors: true }));

function narrow(value: unknown): unknown {
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : value;
  if (Array.isArray(value)) return value.map(narrow);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, narrow(field)]));
}
