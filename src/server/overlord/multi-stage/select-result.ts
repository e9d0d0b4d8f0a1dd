// The result of a SELECT: its rows in a file, its pages, and its first rows for the report.
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../../model/json.ts';
import type { OutputColumn, SelectStatement } from '../../../sql/statement.ts';
import { duckdbTypeOf } from '../../engine/native-types.ts';
import { resultFileQuery, writeResultFile } from '../../engine/result-file.ts';
import type { WrittenFile } from '../../engine/segment-file.ts';
import type { Session } from '../../engine/session.ts';
import { createNativeWriter } from '../../statements/native-result.ts';
import { resultPieces } from '../../statements/result-writer.ts';
import { printingOf } from '../../statements/sql-request.ts';
import type { ResultPage } from '../../storage/statement-results.ts';

export interface SelectResult {
  readonly file: string;
  readonly columns: readonly OutputColumn[];
  readonly numRows: number;
  readonly sizeBytes: number;
  readonly pages: readonly ResultPage[];
  readonly sample: string; // the first rows, as a JSON list of lists
}

/**
 * Runs a SELECT and writes its rows to a file in a folder, divided into pages of this many rows;
 * without a page size, as one page.
 */
export async function writeResult(
  session: Session,
  statement: SelectStatement,
  folder: string,
  rowsPerPage?: number,
): Promise<SelectResult> {
  const { columns, context, duckdb } = statement;
  const written = await writeResultFile(
    session,
    duckdb,
    columns.map(storedType),
    join(folder, 'result.parquet'),
  );
  const writer = createNativeWriter(columns, { format: 'array', ...printingOf(context) });
  const first = { start: 0, end: maxReportRows };
  const { chunks } = await session.query(resultFileQuery(written.file, columns.length, first));
  const sample = await text(resultPieces(writer, chunks));
  return {
    ...written,
    columns,
    pages: pagesOf(written, rowsPerPage),
    sample: sample.trimEnd(),
  };
}

/** The part of a task's report about a result. */
export const reportOf = ({
  columns,
  numRows,
  sample,
}: SelectResult): Readonly<Record<string, unknown>> => ({
  signature: columns.map(({ name, nativeType }) => ({ name, type: nativeType })),
  sqlTypeNames: columns.map(({ type }) => type.name),
  results: parseJson(sample),
  resultsTruncated: numRows > maxReportRows,
});

const maxReportRows = 3000;

const storedType = ({ type, nativeType }: OutputColumn) =>
  duckdbTypeOf({ type: nativeType ?? 'STRING', multiValue: type.multiValue ?? false });

// All pages are in one file: a page's size is its share of the file.
function pagesOf(
  { numRows, sizeBytes }: WrittenFile,
  rowsPerPage: number | undefined,
): ResultPage[] {
  if (rowsPerPage === undefined) return [{ id: 0, numRows, sizeInBytes: sizeBytes }];
  const count = Math.ceil(numRows / rowsPerPage);
  const sizeUpTo = (page: number) =>
    Math.round((sizeBytes * Math.min(page * rowsPerPage, numRows)) / numRows);
  return Array.from({ length: count }, (_, id) => ({
    id,
    numRows: Math.min(rowsPerPage, numRows - id * rowsPerPage),
    sizeInBytes: sizeUpTo(id + 1) - sizeUpTo(id),
  }));
}
