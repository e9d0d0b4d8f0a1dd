// Raw rows of CSV and TSV.
import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import { csvValues, csvValuesSql, isWellFormed } from './csv-lines.ts';
import { parsedNumbersSql } from './field-types.ts';
import type { InputFile } from './input-file.ts';
import type { DelimitedFormat } from './input-format.ts';
import {
  checkColumns,
  created,
  keepParsed,
  limitOf,
  type RawField,
  type RawRows,
  type ToStage,
  textRows,
  type WantedFields,
} from './raw-rows.ts';
import { firstLines, linesOf, mayHold, sizesOf } from './text-files.ts';

export async function stageDelimited(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: DelimitedFormat,
  wanted: ToStage,
): Promise<RawRows> {
  const skip = format.skipHeaderRows + (format.findColumnsFromHeader ? 1 : 0);
  // The order of columns may differ between files.
  const columnsOf = await Promise.all(
    files.map(async (file) =>
      format.findColumnsFromHeader ? await header(file, format) : (format.columns ?? []),
    ),
  );
  const names = [
    ...new Set([...columnsOf.flat(), ...(files.length === 0 ? (format.columns ?? []) : [])]),
  ];
  checkColumns(names.length);
  const fields = names.map((name, index): RawField => ({ name, sql: `f${index}`, kind: 'text' }));
  const groups = await groupsOf(files, columnsOf, format, wanted);
  const selects = groups.map((group) => {
    const positions = new Map(group.present.map((name, position) => [name, position]));
    const values = names.map((name, index) => {
      const position = positions.get(name);
      if (position === undefined) return `NULL::VARCHAR AS f${index}`;
      const { tryParseNumbers, listDelimiter } = format;
      const value = `v${position}`;
      return `${tryParseNumbers ? parsedNumbersSql(value, listDelimiter) : value} AS f${index}`;
    });
    const held = `to_json(([${group.present.map(quote).join(', ')}]::VARCHAR[])[:width])::VARCHAR AS present`;
    const selected = wanted.whole ? [...values, held] : values;
    return `SELECT ${selected.join(', ')} FROM ${relationOf(group, format, wanted, skip)}`;
  });
  const others = wanted.whole ? ['present'] : [];
  const columns = [...fields.map(({ sql }) => sql), ...others];
  const nothing = `SELECT ${columns.map((column) => `NULL::VARCHAR AS ${column}`).join(', ') || 'NULL AS f0'} WHERE false`;
  const query = `SELECT * FROM (${selects.join(' UNION ALL ') || nothing})${limitOf(wanted)}`;
  const ofLines = { query, fields: fields.map(({ sql }) => sql), others };
  if (format.type === 'csv' && groups.some(({ byLine }) => byLine))
    await keepParsed(session, table, ofLines, wanted);
  else await session.run(`${created(wanted)} ${table} AS ${query}`);
  const rows = textRows(table, fields, {
    listDelimiter: await usedDelimiter(files, format, wanted),
    parseNumbers: format.tryParseNumbers,
    skip,
  });
  return {
    ...rows,
    ...(wanted.whole && { present: 'present' }),
    keepsEmptyLines: wanted.keepsEmptyLines,
  };
}

// Without a list delimiter in the files, no row needs to be searched for one. In CSV, a quote
// within a value is written twice. For a few rows, the files are not read to their ends.
async function usedDelimiter(
  files: readonly InputFile[],
  { listDelimiter }: DelimitedFormat,
  { maxRows }: Pick<WantedFields, 'maxRows'>,
): Promise<string | undefined> {
  if (listDelimiter.includes('"') || maxRows !== undefined) return listDelimiter;
  for (const file of files) if (await mayHold(file, listDelimiter)) return listDelimiter;
  return undefined;
}

// Files with the same columns that follow each other. `byLine`: their lines are split here, not by
// DuckDB's CSV reader.
interface FileGroup {
  readonly present: readonly string[];
  readonly byLine: boolean;
  readonly files: InputFile[];
}

async function groupsOf(
  files: readonly InputFile[],
  columnsOf: readonly (readonly string[])[],
  format: DelimitedFormat,
  { maxRows }: Pick<WantedFields, 'maxRows'>,
): Promise<readonly FileGroup[]> {
  const groups: FileGroup[] = [];
  for (const [index, file] of files.entries()) {
    const present = columnsOf[index] ?? [];
    const byLine = maxRows !== undefined || !(await isReadAsCsv(file, format));
    const last = groups.at(-1);
    if (last?.byLine === byLine && isDeepStrictEqual(last.present, present)) last.files.push(file);
    else groups.push({ present, byLine, files: [file] });
  }
  return groups;
}

// DuckDB's reader is ten times faster than a split of lines with quotes, and guesses what a quote
// within a value means.
const isReadAsCsv = async (file: InputFile, { type }: DelimitedFormat): Promise<boolean> =>
  type === 'csv' && (await isWellFormed(file));

// In TSV, every empty value is null: it has no quotes.
function relationOf(
  { present, byLine, files }: FileGroup,
  { type, delimiter }: DelimitedFormat,
  { keepsEmptyLines }: ToStage,
  skip: number,
): string {
  const columns = present.map((_, index) => `v${index}`);
  const lines = linesOf(files, { skip, empty: keepsEmptyLines });
  if (type === 'csv' && byLine) return csvValuesSql(lines, columns);
  if (type === 'csv') {
    const types = columns.map((column) => `'${column}': 'VARCHAR'`).join(', ');
    const paths = files.map(({ path }) => quote(path)).join(', ');
    return `read_csv([${paths}], columns = {${types}}, delim = ',', quote = '"', escape = '"', header = false, skip = ${skip}, auto_detect = false, null_padding = true, strict_mode = false, allow_quoted_nulls = false, ${sizesOf(files)})`;
  }
  const values = columns.map((column, index) => `nullif(s[${index + 1}], '') AS ${column}`);
  return `(SELECT ${[...values, 'len(s) AS width'].join(', ')} FROM (SELECT string_split(line, ${quote(delimiter)}) AS s FROM ${lines}))`;
}

async function header(
  file: InputFile,
  { type, delimiter, skipHeaderRows }: DelimitedFormat,
): Promise<readonly string[]> {
  const line = (await firstLines(file, skipHeaderRows + 1))[skipHeaderRows];
  if (line === undefined) throw new Error(`File [${file.name}] has no header`);
  const names = type === 'csv' ? csvValues(line).map((name) => name ?? '') : line.split(delimiter);
  const unique = new Set(names);
  if (unique.size < names.length) {
    throw new Error(
      `Duplicate column entries found : [${names.find((name, index) => names.indexOf(name) !== index)}] in the header of file [${file.name}]`,
    );
  }
  return names.map((name, index) => (name === '' ? `column_${index + 1}` : name));
}
