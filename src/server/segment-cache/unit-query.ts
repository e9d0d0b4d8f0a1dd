// Rows of a unit as a query over the files of its segments.
import type { SegmentColumn } from '../../model/segment.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import { memberColumn } from '../engine/segment-scan.ts';
import type { Session } from '../engine/session.ts';
import { identifier, quote } from '../engine/sql-text.ts';

/** Gives the number of the segment, and its columns. */
export function unitQuery(files: readonly string[], columns: readonly SegmentColumn[]): string {
  const names = identifiersOf(columns);
  const list = columns.map(({ name }) => names(name)).join(', ');
  return files
    .map(
      (file, index) =>
        `SELECT ${index}::USMALLINT AS ${identifier(memberColumn)}, ${list} FROM read_parquet([${quote(file)}], hive_partitioning = false)`,
    )
    .join(' UNION ALL ');
}

/**
 * The columns of the table of a unit. Texts that are short and rarely repeat are stored as they
 * are: DuckDB's compression of them doubles the time of a comparison.
 */
export async function unitColumns(session: Session, query: string, file: string): Promise<string> {
  const described = await session.rows(`DESCRIBE ${query}`);
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  const texts = columns.filter(({ type }) => type === 'VARCHAR');
  const plain = new Set<string>();
  if (texts.length > 0) {
    const tests = texts.map(({ name }) => {
      const column = identifier(name);
      return `approx_count_distinct(${column}) * 5 > count(${column}) AND avg(length(${column})) <= ${longestPlain}`;
    });
    const [found = []] = await session.rows(
      `SELECT ${tests.join(', ')} FROM (FROM read_parquet([${quote(file)}], hive_partitioning = false) LIMIT ${sampleRows})`,
    );
    for (const [index, { name }] of texts.entries()) if (found[index] === true) plain.add(name);
  }
  return columns
    .map(
      ({ name, type }) =>
        `${identifier(name)} ${type}${plain.has(name) ? ' USING COMPRESSION uncompressed' : ''}`,
    )
    .join(', ');
}

const sampleRows = 50_000;
const longestPlain = 200; // characters, on average
