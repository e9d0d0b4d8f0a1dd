// Flags of the guided builders.
import { flag, oneOf, optional, text } from '../../../contract/schema.ts';

export const formats = ['json', 'csv', 'tsv'] as const;
export const granularities = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR', 'ALL'] as const;

/** Flags that answer the questions. */
export const schemaOptions = {
  format: optional(oneOf(...formats), 'Format of the rows (default: guessed)'),
  timeColumn: optional(text, 'Column with the time of a row (default: guessed)'),
  timeFormat: optional(text, 'Its format: auto, iso, millis, posix, or a Joda pattern'),
  exclude: optional(text, 'Columns to leave out, separated by commas'),
  rollup: optional(flag, 'Aggregate rows with equal dimensions: count, and sums of numbers'),
  segmentGranularity: optional(oneOf(...granularities), 'Time chunk of a segment (default DAY)'),
  out: optional(text, 'Write the specification to this file; - prints it'),
};

export interface SchemaFlags {
  readonly format?: (typeof formats)[number];
  readonly timeColumn?: string;
  readonly timeFormat?: string;
  readonly exclude?: string;
  readonly rollup?: boolean;
  readonly segmentGranularity?: string;
}
