import { formatJson } from '../../../model/json.ts';

/** Formats a value on one line; undefined for a value that is absent. */
export const oneLineOf = (value: unknown) =>
  value === undefined ? undefined : typeof value === 'string' ? value : formatJson(value);
