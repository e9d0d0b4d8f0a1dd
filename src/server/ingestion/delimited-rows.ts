// Raw rows of CSV and TSV.
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import type { InputFile } from './input-file.ts';
import type { DelimitedFormat } from './input-format.ts';
import {
  checkColumns,
  created,
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
  const groups = new Map<string, { present: readonly string[]; group: InputFile[] }>();
  for (const [index, file] of files.entries()) {
    const present = columnsOf[index] ?? [];
    const key = JSON.stringify(present);
    groups.set(key, { present, group: [...(groups.get(key)?.group ?? []), file] });
  }
  const selects = [...groups.values()].map(({ present, group }) => {
    const positions = new Map(present.map((name, position) => [name, position]));
    const values = names.map((name, index) => {
      const position = positions.get(name);
      return `${position === undefined ? 'NULL::VARCHAR' : `v${position}`} AS f${index}`;
    });
    return `SELECT ${values.join(', ')} FROM ${delimitedRelation(group, format, present.length, skip)}`;
  });
  const nothing = `SELECT ${names.map((_, index) => `NULL::VARCHAR AS f${index}`).join(', ') || 'NULL AS f0'} WHERE false`;
  await session.run(
    `${created(wanted)} ${table} AS SELECT * FROM (${selects.join(' UNION ALL ') || nothing})${limitOf(wanted)}`,
  );
  return textRows(table, fields, {
    listDelimiter: await usedDelimiter(files, format, wanted),
    parseNumbers: format.tryParseNumbers,
    skip,
  });
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

// In CSV, an empty value without quotes is null (Druid:
// CSVReaderNullFieldIndicator.EMPTY_SEPARATORS). TSV has no quotes, and every empty value is null.
function delimitedRelation(
  files: readonly InputFile[],
  { type, delimiter }: DelimitedFormat,
  count: number,
  skip: number,
): string {
  const columns = Array.from({ length: count }, (_, index) => `v${index}`);
  if (type === 'csv') {
    const types = columns.map((column) => `'${column}': 'VARCHAR'`).join(', ');
    const paths = files.map(({ path }) => quote(path)).join(', ');
    return `read_csv([${paths}], columns = {${types}}, delim = ',', quote = '"', escape = '"', header = false, skip = ${skip}, auto_detect = false, null_padding = true, strict_mode = false, allow_quoted_nulls = false, ${sizesOf(files)})`;
  }
  const values = columns
    .map((column, index) => `nullif(s[${index + 1}], '') AS ${column}`)
    .join(', ');
  return `(SELECT ${values} FROM (SELECT string_split(line, ${quote(delimiter)}) AS s FROM ${linesOf(files, { skip })}))`;
}

async function header(
  file: InputFile,
  { type, delimiter, skipHeaderRows }: DelimitedFormat,
): Promise<readonly string[]> {
  const line = (await firstLines(file, skipHeaderRows + 1))[skipHeaderRows];
  if (line === undefined) throw new Error(`File [${file.name}] has no header`);
  const names = type === 'csv' ? csvValues(line) : line.split(delimiter);
  const unique = new Set(names);
  if (unique.size < names.length) {
    throw new Error(
      `Duplicate column entries found : [${names.find((name, index) => names.indexOf(name) !== index)}] in the header of file [${file.name}]`,
    );
  }
  return names.map((name, index) => (name === '' ? `column_${index + 1}` : name));
}

const csvValues = (line: string): string[] =>
  [...`,${line}`.matchAll(/,("(?:[^"]|"")*"|[^,]*)/g)].map(([, value = '']) =>
    value.startsWith('"') && value.length > 1 ? value.slice(1, -1).replaceAll('""', '"') : value,
  );
