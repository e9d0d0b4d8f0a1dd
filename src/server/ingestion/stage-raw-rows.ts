// Raw rows of files in any format, as a table or as a view.
import { join } from 'node:path';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import { stageDelimited } from './delimited-rows.ts';
import type { InputFile } from './input-file.ts';
import type { InputFormat, RegexFormat } from './input-format.ts';
import { stageJson } from './json-rows.ts';
import { sizesOfFiles } from './overflow.ts';
import { stageParquet } from './parquet-rows.ts';
import {
  created,
  keepParsed,
  limitOf,
  noLines,
  type RawField,
  type RawRows,
  type ToStage,
  textRows,
  type WantedFields,
} from './raw-rows.ts';
import {
  asUtf8,
  haveEqualLineEnds,
  linesOf,
  refuseLongLine,
  withLongestLines,
} from './text-files.ts';

/**
 * Reads files into a temporary table, or defines a view that reads them. Throws when a file cannot
 * be read at all; the table includes unreadable rows. A view throws when it is read: an error for
 * which `isUnreadableText` is true calls for its `readClean`.
 */
export async function stageRawRows(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: InputFormat,
  wanted: WantedFields,
  stagingFolder: string,
): Promise<RawRows> {
  const { meanBytes } = wanted.asView ? await sizesOfFiles(files) : { meanBytes: 0 };
  const keepsEmptyLines = emptyIsRow(format) && (await haveEqualLineEnds(files, wanted.maxRows));
  const toStage = { ...wanted, folder: stagingFolder, meanBytes, keepsEmptyLines };
  const readClean = async () => {
    const clean = await Promise.all(
      files.map((file, index) => asUtf8(file, join(stagingFolder, `utf8-${table}-${index}`))),
    );
    return stage(session, table, clean, format, toStage);
  };
  if (isOfLines(format)) for (const file of files) await refuseLongLine(file);
  const measured = wanted.asView && isOfLines(format) ? await withLongestLines(files) : files;
  try {
    const rows = await stage(session, table, measured, format, toStage);
    return wanted.asView ? { ...rows, readClean } : rows;
  } catch (error) {
    if (!isUnreadableText(error)) throw error;
    return readClean();
  }
}

// The engine reads an empty line as a row: an unreadable one in JSON, one null in CSV and TSV.
const emptyIsRow = ({ type }: InputFormat): boolean =>
  type === 'json' || type === 'regex' || type === 'csv' || type === 'tsv';

const isOfLines = ({ type }: InputFormat): boolean => type !== 'parquet' && type !== 'avro_ocf';

/** Whether an error of the engine says that a file is not valid UTF-8. */
export const isUnreadableText = (error: unknown): boolean =>
  error instanceof Error && /unicode|utf-?8|CSV Error on Line/i.test(error.message);

async function stage(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: InputFormat,
  wanted: ToStage,
): Promise<RawRows> {
  const rows = await rowsOf(session, table, files, format, wanted);
  return wanted.asView ? { ...rows, isView: true } : rows;
}

function rowsOf(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: InputFormat,
  wanted: ToStage,
): Promise<RawRows> {
  switch (format.type) {
    case 'json':
      return stageJson(session, table, files, format, wanted);
    case 'avro_ocf': // the files have become lines of JSON, which are no lines of anybody's
      return stageJson(session, table, files, format.rows, wanted).then((rows) => ({
        ...rows,
        badLine: undefined,
        positioned: false,
      }));
    case 'csv':
    case 'tsv':
      return stageDelimited(session, table, files, format, wanted);
    case 'regex':
      return stageRegex(session, table, files, format, wanted);
    case 'lines':
      return stageLines(session, table, files, wanted);
    case 'parquet':
      return stageParquet(session, table, files, wanted);
  }
}

async function stageRegex(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: RegexFormat,
  wanted: ToStage,
): Promise<RawRows> {
  const { body, groups, filled } = format.pattern;
  const names =
    format.columns ?? Array.from({ length: groups }, (_, index) => `column_${index + 1}`);
  const fields = names.map((name, index): RawField => ({ name, sql: `f${index}`, kind: 'text' }));
  const values = names.map((_, index) => {
    if (index >= groups) return `NULL::VARCHAR AS f${index}`;
    // RE2 returns an empty text for an unmatched group; a group that can match an empty text keeps
    // it.
    const value = filled.has(index + 1) ? `nullif(parts.g${index}, '')` : `parts.g${index}`;
    return `CASE WHEN fits THEN ${value} END AS f${index}`;
  });
  const pattern = quote(`\\A(?:${body})\\z`);
  const groupNames = Array.from({ length: groups }, (_, index) => quote(`g${index}`));
  const parts =
    groups === 0 ? '' : `, regexp_extract(line, ${pattern}, [${groupNames.join(', ')}]) AS parts`;
  const lines = `(SELECT line, regexp_matches(line, ${pattern}) AS fits${parts} FROM ${files.length ? linesOf(files, { empty: wanted.keepsEmptyLines }) : noLines})`;
  const present = quote(JSON.stringify(names.slice(0, groups)));
  const selected = [
    ...values,
    'CASE WHEN NOT fits THEN line END AS bad',
    ...(wanted.whole ? [`${present} AS present`] : []),
  ];
  const query = `SELECT ${selected.join(', ')} FROM ${lines}${limitOf(wanted)}`;
  const others = wanted.whole ? ['bad', 'present'] : ['bad'];
  const ofLines = { query, fields: fields.map(({ sql }) => sql), others };
  await keepParsed(session, table, ofLines, wanted);
  return {
    ...textRows(table, fields, {
      listDelimiter: format.listDelimiter,
      parseNumbers: false,
      skip: 0,
    }),
    found: names.slice(0, groups),
    badLine: 'bad',
    ...(wanted.whole && { present: 'present' }),
    keepsEmptyLines: wanted.keepsEmptyLines,
  };
}

async function stageLines(
  session: Session,
  table: string,
  files: readonly InputFile[],
  wanted: WantedFields,
): Promise<RawRows> {
  await session.run(
    `${created(wanted)} ${table} AS SELECT line AS f0 FROM ${files.length ? linesOf(files) : noLines}${limitOf(wanted)}`,
  );
  return textRows(table, [{ name: 'line', sql: 'f0', kind: 'text' }], {
    listDelimiter: undefined,
    parseNumbers: false,
    skip: 0,
  });
}
