// Raw rows of files: one column per field, without conversion. The engine reads them; this file
// generates its SQL.
import { join } from 'node:path';
import { requestLimits } from '../../model/limits.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import { invalidSpec } from '../checks/spec-fields.ts';
import { writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import { identifier, quote } from '../engine/sql-text.ts';
import type { InputFile } from './input-file.ts';
import type {
  DelimitedFormat,
  FlattenedField,
  InputFormat,
  JsonFormat,
  RegexFormat,
} from './input-format.ts';
import { duckdbPath, type PathStep } from './json-path.ts';
import {
  asUtf8,
  firstLines,
  linesOf,
  mayHold,
  refuseLongLine,
  sizesOf,
  withLongestLines,
} from './text-files.ts';

/**
 * A field of the raw rows. JSON fields hold any JSON value except null; text fields hold a text, or
 * several texts separated by a delimiter.
 */
export interface RawField {
  readonly name: string;
  readonly sql: string; // the column of the raw table
  readonly kind: 'json' | 'text';
}

export interface RawRows {
  readonly table: string; // or a view, which reads files again
  readonly isView?: true;
  // Defines a view anew, over copies of the files that are valid UTF-8
  readonly readClean?: () => Promise<RawRows>;
  readonly fields: ReadonlyMap<string, RawField>;
  // Names of discoverable fields for dimensions, in input order
  readonly found: readonly string[];
  // The column with the text of a row, where it was wanted and the input has lines of JSON
  readonly line?: string;
  // The column with the text of an unreadable row; null for a readable one
  readonly badLine: string | undefined;
  readonly listDelimiter: string | undefined; // of text fields
  readonly parseNumbers: boolean; // text fields with numeric content are numbers
  readonly positioned: boolean; // lines of `files` can be counted
  readonly skip: number; // lines at the head of each file
}

export interface WantedFields {
  readonly names: readonly string[]; // selected by name, whether they occur or not
  readonly discover: boolean; // also select all other fields
  readonly discoverNulls: boolean; // also select JSON fields that are null in all rows
  readonly maxRows?: number; // upper limit
  readonly lines?: true; // keep the text of each row
  readonly asView?: true; // rows that are too many for memory: a view instead of a table
}

/** The raw rows with their numbers, counted from 0, in the column `n`. */
export const numberedRows = ({ table, isView }: Pick<RawRows, 'table' | 'isView'>): string =>
  `(SELECT *, ${isView ? 'row_number() OVER () - 1' : 'rowid'} AS n FROM ${table})`;

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
  const readClean = async () => {
    const clean = await Promise.all(
      files.map((file, index) => asUtf8(file, join(stagingFolder, `utf8-${table}-${index}`))),
    );
    return stage(session, table, clean, format, { ...wanted, folder: stagingFolder });
  };
  if (isOfLines(format)) for (const file of files) await refuseLongLine(file);
  const measured = wanted.asView && isReadByLines(format) ? await withLongestLines(files) : files;
  try {
    const rows = await stage(session, table, measured, format, {
      ...wanted,
      folder: stagingFolder,
    });
    return wanted.asView ? { ...rows, readClean } : rows;
  } catch (error) {
    if (!isUnreadableText(error)) throw error;
    return readClean();
  }
}

const isOfLines = ({ type }: InputFormat): boolean => type !== 'parquet' && type !== 'avro_ocf';

// A record of CSV may have several lines.
const isReadByLines = (format: InputFormat): boolean => isOfLines(format) && format.type !== 'csv';

/** Whether an error of the engine says that a file is not valid UTF-8. */
export const isUnreadableText = (error: unknown): boolean =>
  error instanceof Error && /unicode|utf-?8|CSV Error on Line/i.test(error.message);

// The fields, and a staging folder.
type ToStage = WantedFields & { readonly folder: string };

// Lines are costly to parse: of rows that are too many for memory, the result is kept on disk. Each
// row is one value there. DuckDB takes 4 MB for each column and thread of a file in the order of
// its rows, and with less memory, a single thread writes it.
async function keepParsed(
  session: Session,
  table: string,
  query: string,
  numColumns: number,
  { asView, folder }: Pick<ToStage, 'asView' | 'folder'>,
): Promise<void> {
  if (!asView) {
    await session.run(`CREATE TEMP TABLE ${table} AS ${query}`);
    return;
  }
  const file = join(folder, `${table}.parquet`);
  const rowsPerGroup = Math.floor(valuesAtOnce / numColumns);
  await writeSegmentFile(session, `SELECT parsed FROM (${query}) AS parsed`, file, {
    compression: 'lz4_raw',
    rowsPerGroup,
  });
  await session.run(
    `CREATE OR REPLACE TEMP VIEW ${table} AS SELECT parsed.* FROM read_parquet(${quote(file)})`,
  );
}

const valuesAtOnce = 1_000_000;

const created = ({ asView }: Pick<WantedFields, 'asView'>) =>
  asView ? 'CREATE OR REPLACE TEMP VIEW' : 'CREATE TEMP TABLE';

function checkColumns(count: number): void {
  if (count > requestLimits.inputColumns.most)
    throw requestLimitExceeded('inputColumns', count, 'the input');
}

const limitOf = ({ maxRows }: Pick<WantedFields, 'maxRows'>) =>
  maxRows === undefined ? '' : ` LIMIT ${maxRows}`;

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

async function stageJson(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: JsonFormat,
  { names, discover, discoverNulls, lines: keepsLines, ...limits }: ToStage,
): Promise<RawRows> {
  const lines = `(SELECT line FROM ${files.length === 0 ? noLines : linesOf(files)}${limitOf(limits)})`;
  const flattened = new Map(format.fields.map((field) => [field.name, field]));
  const keys = discover && format.useFieldDiscovery ? await keysOf(session, lines) : [];
  const found = keys.map(({ name }) => name);
  const known = new Set([
    ...flattened.keys(),
    ...found,
    ...(format.useFieldDiscovery ? names : []),
  ]);
  checkColumns(known.size);
  const fields = [...known].map((name, index) => ({
    name,
    column: `f${index}`,
    path: pathOf(name, flattened),
  }));
  // All plain paths are read in one call. DuckDB returns lists for paths with a wildcard, so those
  // are read separately.
  const plain = fields.filter(({ path }) => !path.includes('all'));
  const members = plain.length < leastMembers ? [] : membersAmong(plain);
  const extracted = plain.filter((field) => !members.includes(field));
  const values = new Map([
    ...extracted.map((field, position) => [field, `x[${position + 1}]`] as const),
    ...members.map((field) => [field, `o.${identifier(field.name)}`] as const),
  ]);
  const columns = fields.map((field) => {
    const value =
      values.get(field) ?? `to_json(TRY(json_extract(line, ${quote(duckdbPath(field.path))})))`;
    return `nullif(${value}, 'null'::JSON) AS ${field.column}`;
  });
  // A line with JSON other than an object has no fields either; the type is checked only for lines
  // without fields.
  const [first] = values.values();
  const parsed = members.length > 0 ? 'o' : 'x';
  const bad = `CASE WHEN ${parsed} IS NULL THEN line WHEN ${first ?? 'NULL'} IS NULL AND json_type(line) <> 'OBJECT' THEN line END AS bad`;
  const paths = extracted.map(({ path }) => quote(pointerOf(path))).join(', ');
  const read = [
    ...(extracted.length > 0 ? [`TRY(json_extract(line, [${paths}]::VARCHAR[])) AS x`] : []),
    ...(members.length > 0
      ? [`TRY(json_transform(line, ${quote(structureOf(members))})) AS o`]
      : []),
    ...(plain.length === 0 ? ['CASE WHEN json_valid(line) THEN [] END AS x'] : []),
  ];
  const selected = [...columns, ...(keepsLines ? ['line'] : []), bad];
  const query = `SELECT ${selected.join(', ')} FROM (SELECT line, ${read.join(', ')} FROM ${lines})`;
  await keepParsed(session, table, query, selected.length, limits);
  const columnOf = new Map(fields.map(({ name, column }) => [name, column]));
  const filled =
    discoverNulls || format.keepNullColumns
      ? found
      : await withValues(
          session,
          numberedRows({ table, ...(limits.asView && { isView: true }) }),
          lines,
          keys,
          columnOf,
        );
  return {
    table,
    fields: new Map(fields.map(({ name, column }) => [name, { name, sql: column, kind: 'json' }])),
    found: [...new Set([...flattened.keys(), ...filled])],
    ...(keepsLines && { line: 'line' }),
    badLine: 'bad',
    listDelimiter: undefined,
    parseNumbers: false,
    positioned: true,
    skip: 0,
  };
}

interface JsonField {
  readonly name: string;
  readonly path: readonly PathStep[];
}

// DuckDB extracts each path by a search through the keys of the object, but reads all members of a
// structure in one pass. A structure has no empty names, and none that differ only in case.
function membersAmong<Field extends JsonField>(fields: readonly Field[]): readonly Field[] {
  const members = new Map<string, Field>();
  for (const field of fields) {
    const { name, path } = field;
    const [step, ...deeper] = path;
    const isMember =
      typeof step === 'object' && 'name' in step && step.name === name && deeper.length === 0;
    const key = name.toLowerCase();
    if (isMember && name !== '' && !name.includes('\0') && !members.has(key))
      members.set(key, field);
  }
  return [...members.values()];
}

const structureOf = (members: readonly JsonField[]) =>
  `{${members.map(({ name }) => `${JSON.stringify(name)}: "JSON"`).join(', ')}}`;

const leastMembers = 64; // with fewer, the search is faster

const mostKeys = requestLimits.inputColumns.most;

interface FoundKey {
  readonly name: string;
  readonly row: number; // the first row that has it
}

// The keys of all lines in order of appearance. The first lines usually have most of them; all
// lines are numbered only otherwise.
async function keysOf(session: Session, lines: string): Promise<FoundKey[]> {
  const orderRows = async (rows: string) => {
    const keys = `SELECT row_number() OVER () - 1 AS n, TRY(json_keys(line)) AS keys FROM ${rows}`;
    const places = `SELECT unnest(keys) AS key, n, generate_subscripts(keys, 1) AS place FROM (${keys})`;
    const found = await session.rows(
      `SELECT key, min(n) FROM (${places}) GROUP BY key ORDER BY min({n: n, place: place})`,
    );
    return found.map(([name, row]): FoundKey => ({ name: String(name), row: Number(row) }));
  };
  // DuckDB takes seconds to count the keys of a row with a million of them.
  const [[count] = []] = await session.rows(
    `SELECT count(DISTINCT key) FROM (SELECT unnest(TRY(json_keys(line))[:${mostKeys + 1}]) AS key FROM ${lines})`,
  );
  checkColumns(Number(count));
  const first = await orderRows(`(SELECT line FROM ${lines} LIMIT 1000)`);
  return Number(count) > first.length ? orderRows(lines) : first;
}

// Fields that are null in all rows are left out. The others are ordered by the row of their first
// value; fields of one row keep its order.
async function withValues(
  session: Session,
  table: string,
  lines: string,
  keys: readonly FoundKey[],
  columnOf: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (keys.length === 0) return [];
  const firsts = keys.map(({ name }) => `min(n) FILTER (WHERE ${columnOf.get(name)} IS NOT NULL)`);
  const [rows = []] = await session.rows(`SELECT ${firsts.join(', ')} FROM ${table}`);
  const filled = keys.flatMap((key, index) =>
    rows[index] === null
      ? []
      : { name: key.name, row: Number(rows[index]), wasNull: key.row < Number(rows[index]) },
  );
  const unsure = [...new Set(filled.filter(({ wasNull }) => wasNull).map(({ row }) => row))];
  const places = new Map<string, number>();
  if (unsure.length > 0) {
    const numbered = `SELECT row_number() OVER () - 1 AS n, line FROM ${lines}`;
    const found = await session.rows(
      `SELECT n, unnest(TRY(json_keys(line))) AS key FROM (${numbered}) WHERE n IN (${unsure.join(', ')})`,
    );
    for (const [row, name] of found)
      if (!places.has(`${row} ${name}`)) places.set(`${row} ${name}`, places.size);
  }
  const placeOf = ({ name, row }: FoundKey) => places.get(`${row} ${name}`) ?? 0;
  return filled.sort((a, b) => a.row - b.row || placeOf(a) - placeOf(b)).map(({ name }) => name);
}

const noLines = "(SELECT ''::VARCHAR AS line WHERE false)";

const pathOf = (
  name: string,
  flattened: ReadonlyMap<string, FlattenedField>,
): readonly PathStep[] => flattened.get(name)?.path ?? [{ name }];

// A JSON pointer supports any name; only positions in lists need the other syntax.
const pointerOf = (path: readonly PathStep[]): string =>
  path.length > 0 && path.every((step) => typeof step === 'object' && 'name' in step)
    ? path
        .map((step) =>
          typeof step === 'object' && 'name' in step
            ? `/${step.name.replaceAll('~', '~0').replaceAll('/', '~1')}`
            : '',
        )
        .join('')
    : duckdbPath(path);

async function stageDelimited(
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
  const lines = `(SELECT line, regexp_matches(line, ${pattern}) AS fits${parts} FROM ${files.length ? linesOf(files) : noLines})`;
  const selected = [...values, 'CASE WHEN NOT fits THEN line END AS bad'];
  const query = `SELECT ${selected.join(', ')} FROM ${lines}${limitOf(wanted)}`;
  await keepParsed(session, table, query, selected.length, wanted);
  return {
    ...textRows(table, fields, {
      listDelimiter: format.listDelimiter,
      parseNumbers: false,
      skip: 0,
    }),
    badLine: 'bad',
  };
}

async function stageLines(
  session: Session,
  table: string,
  files: readonly InputFile[],
  wanted: ToStage,
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

const textRows = (
  table: string,
  fields: readonly RawField[],
  rest: Pick<RawRows, 'listDelimiter' | 'parseNumbers' | 'skip'>,
): RawRows => ({
  table,
  fields: new Map(fields.map((field) => [field.name, field])),
  found: fields.map(({ name }) => name),
  badLine: undefined,
  positioned: true,
  ...rest,
});

async function stageParquet(
  session: Session,
  table: string,
  files: readonly InputFile[],
  { names, discover, ...limits }: ToStage,
): Promise<RawRows> {
  const groups = await parquetGroups(session, files);
  const found = new Set(groups.flatMap(({ columns }) => [...columns.keys()]));
  const known = new Set(names);
  const wanted = [...found].filter((name) => discover || known.has(name));
  checkColumns(wanted.length);
  const fields = wanted.map((name, index): RawField => ({ name, sql: `f${index}`, kind: 'json' }));
  const selects = groups.map(({ relation, columns }) => {
    const values = fields.map(({ name, sql }) => `${columns.get(name) ?? 'NULL::JSON'} AS ${sql}`);
    return `SELECT ${values.join(', ') || 'NULL AS f0'} FROM ${relation}`;
  });
  const nothing = 'SELECT NULL AS f0 WHERE false';
  await session.run(
    `${created(limits)} ${table} AS SELECT * FROM (${selects.join(' UNION ALL ') || nothing})${limitOf(limits)}`,
  );
  return {
    table,
    fields: new Map(fields.map((field) => [field.name, field])),
    found: wanted,
    badLine: undefined,
    listDelimiter: undefined,
    parseNumbers: false,
    positioned: false,
    skip: 0,
  };
}

interface ParquetGroup {
  readonly relation: string;
  readonly columns: ReadonlyMap<string, string>; // values as JSON, by column name
}

// Files with the same columns are read together. DuckDB treats column names that differ only in
// case as equal: within a file, it renames them.
async function parquetGroups(
  session: Session,
  files: readonly InputFile[],
): Promise<ParquetGroup[]> {
  const namesOf = await parquetColumns(session, files);
  const groups = new Map<string, { names: readonly string[]; paths: string[] }>();
  for (const { path } of files) {
    const names = namesOf.get(path) ?? [];
    const key = JSON.stringify(names);
    const group = groups.get(key);
    if (group) group.paths.push(path);
    else groups.set(key, { names, paths: [path] });
  }
  const read: ParquetGroup[] = [];
  for (const { names, paths } of groups.values()) {
    const relation = `read_parquet([${paths.map(quote).join(', ')}], union_by_name = true, hive_partitioning = false)`;
    const described = await session.rows(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
    );
    const columns = described.map(([own, type], index): [string, string] => [
      names[index] ?? String(own),
      jsonOf(identifier(String(own)), String(type)),
    ]);
    read.push({ relation, columns: new Map(columns) });
  }
  return read;
}

// The fields of nested columns count, too
const mostElements = 4 * requestLimits.inputColumns.most;
const deepestColumn = 100; // DuckDB fails beyond 255

// The column names of each file. A file lists the fields of nested columns directly after them.
async function parquetColumns(
  session: Session,
  files: readonly InputFile[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (files.length === 0) return new Map();
  const paths = files.map(({ path }) => quote(path)).join(', ');
  const [[most, fullest] = []] = await session.rows(
    `SELECT count(DISTINCT column_id) AS n, file_name FROM parquet_schema([${paths}]) GROUP BY file_name ORDER BY n DESC LIMIT 1`,
  );
  if (Number(most) > mostElements)
    throw requestLimitExceeded('inputColumns', Number(most), `file [${fullest}]`);
  const elements = await session.rows(
    `SELECT DISTINCT file_name, column_id, name, num_children FROM parquet_schema([${paths}]) ORDER BY file_name, column_id`,
  );
  const found = new Map<string, string[]>();
  // Number of remaining elements on each level; the whole file is the first
  let open: number[] = [];
  let names: string[] = [];
  for (const [file, id, name, children] of elements) {
    if (Number(id) === 0) {
      open = [];
      names = [];
      found.set(String(file), names);
    } else if (open.length === 1) names.push(String(name));
    if (open.length > deepestColumn)
      throw invalidSpec(
        `Cannot read file [${file}]: its columns are nested more than ${deepestColumn} levels`,
      );
    if (open.length > 0) open.push((open.pop() ?? 0) - 1);
    open.push(Number(children ?? 0));
    while (open.length > 1 && open.at(-1) === 0) open.pop();
  }
  return found;
}

// Times become milliseconds; bytes of text become text.
function jsonOf(column: string, type: string): string {
  if (/^(TIMESTAMP|DATE)/.test(type) && !type.endsWith(']'))
    return `to_json(epoch_ms(${column}::TIMESTAMPTZ))`;
  if (type === 'BLOB') return `to_json(TRY(decode(${column})))`;
  return `to_json(${column})`;
}
