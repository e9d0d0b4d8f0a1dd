// Marks of texts, by which distinct values are counted (see unique-collector.ts). A table may store
// the marks of a column beside it, because hashing its texts takes most of the time of a count.
import { sideBySide } from './duckdb-text.ts';

/** The name of a column with the marks of a column's texts. */
export const markColumn = (name: string): string => `${name}${suffix}`;

/** The column whose marks a column that `markColumn` names has. */
export const markedColumnOf = (name: string): string | undefined =>
  name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;

const suffix = ' mark';

/** The mark of a text as DuckDB text: an INTEGER, 0 for null. */
export const textMark = (text: string): string =>
  knownMark(`druid_unique_mark(${sideBySide(text)})`);

/** A mark, or 0 instead of null: lists of marks are read directly from memory. */
export const knownMark = (mark: string): string => `coalesce(${mark}, 0)`;
