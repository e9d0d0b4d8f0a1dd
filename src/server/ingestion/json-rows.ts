// Raw rows of JSON: one object in each line.
import type { Session } from '../engine/session.ts';
import { identifier, quote } from '../engine/sql-text.ts';
import { type FlattenPath, flattenSql, valueAt } from './flatten-path.ts';
import type { InputFile } from './input-file.ts';
import type { FlattenedField, JsonFormat } from './input-format.ts';
import { readableLines, surveyedLines } from './json-lines.ts';
import { duckdbPath, type PathStep } from './json-path.ts';
import {
  checkColumns,
  keepParsed,
  limitOf,
  noLines,
  numberedRows,
  type RawRows,
  type ToStage,
} from './raw-rows.ts';
import { linesOf } from './text-files.ts';

export async function stageJson(
  session: Session,
  table: string,
  files: readonly InputFile[],
  format: JsonFormat,
  wanted: ToStage,
): Promise<RawRows> {
  const { names, discover, discoverNulls, whole: keepsLines, keepsEmptyLines, ...limits } = wanted;
  const keepsNulls = discoverNulls || format.keepNullColumns;
  const given = `(SELECT line FROM ${files.length === 0 ? noLines : linesOf(files, { empty: keepsEmptyLines })}${limitOf(limits)})`;
  const discovers = discover && format.useFieldDiscovery;
  const { lines, numKeys } = discovers
    ? await surveyedLines(session, given, format)
    : { lines: await readableLines(session, given, format), numKeys: 0 };
  const flattened = new Map(format.fields.map((field) => [field.name, field]));
  const keys = discovers ? await keysOf(session, lines, numKeys) : [];
  const found = keys.map(({ name }) => name);
  const known = new Set([...flattened.keys(), ...found, ...names]);
  checkColumns(known.size);
  const fields = [...known].map((name, index) => ({
    name,
    column: `f${index}`,
    path: pathOf(name, flattened),
  }));
  // All paths of single values are read in one call, those of lists separately.
  const plain = fields.flatMap(({ path, ...field }) =>
    path.kind === 'value' ? { ...field, path: path.steps } : [],
  );
  const members = plain.length < leastMembers ? [] : membersAmong(plain);
  const extracted = plain.filter((field) => !members.includes(field));
  const values = new Map([
    ...extracted.map(({ column }, position) => [column, `x[${position + 1}]`] as const),
    ...members.map(({ column, name }) => [column, `o.${identifier(name)}`] as const),
  ]);
  const columns = fields.map(({ column, path }) => {
    const value = values.get(column) ?? flattenSql('line', path);
    return `nullif(${value}, 'null'::JSON) AS ${column}`;
  });
  // For the sampler, a row is an object or null; for a task, it is any JSON.
  const isBad = keepsLines
    ? `line IS NULL OR (line = '{}' AND NOT regexp_matches(given, '^\\s*(\\{|null)'))`
    : 'line IS NULL';
  const bad = `CASE WHEN ${isBad} THEN given END AS bad`;
  const paths = extracted.map(({ path }) => quote(pointerOf(path))).join(', ');
  const read = [
    ...(extracted.length > 0 ? [`TRY(json_extract(line, [${paths}]::VARCHAR[])) AS x`] : []),
    ...(members.length > 0
      ? [`TRY(json_transform(line, ${quote(structureOf(members))})) AS o`]
      : []),
  ];
  const kept = keepsLines ? ['line'] : [];
  const replaced = new Set(keepsNulls ? wanted.replaced : []);
  const hasField = new Map(
    plain.flatMap(({ name, column }) =>
      replaced.has(name) && !flattened.has(name) ? [[name, `has_${column}`] as const] : [],
    ),
  );
  const has = plain.flatMap(({ name, path }) => {
    const column = hasField.get(name);
    return column ? [`json_exists(line, ${quote(pointerOf(path))}) AS ${column}`] : [];
  });
  const query = `SELECT ${[...columns, ...has, ...kept.map((name) => `coalesce(line, given) AS ${name}`), bad].join(', ')} FROM (SELECT ${['given', 'line', ...read].join(', ')} FROM ${lines})`;
  const ofLines = {
    query,
    fields: fields.map(({ column }) => column),
    others: [...hasField.values(), ...kept, 'bad'],
  };
  await keepParsed(session, table, ofLines, limits);
  const columnOf = new Map(fields.map(({ name, column }) => [name, column]));
  const filled = keepsNulls
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
    keepsNulls,
    hasField,
    flattened: new Set(flattened.keys()),
    ...(keepsLines && { line: 'line' }),
    badLine: 'bad',
    listDelimiter: undefined,
    parseNumbers: false,
    positioned: true,
    skip: 0,
    keepsEmptyLines,
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

interface FoundKey {
  readonly name: string;
  readonly row: number; // the first row that has it
}

// The keys of all lines in order of appearance. The first lines usually have most of them; all
// lines are numbered only otherwise.
async function keysOf(session: Session, lines: string, numKeys: number): Promise<FoundKey[]> {
  checkColumns(numKeys);
  const orderRows = async (rows: string) => {
    const keys = `SELECT row_number() OVER () - 1 AS n, TRY(json_keys(line)) AS keys FROM ${rows}`;
    const places = `SELECT unnest(keys) AS key, n, generate_subscripts(keys, 1) AS place FROM (${keys})`;
    const found = await session.rows(
      `SELECT key, min(n) FROM (${places}) GROUP BY key ORDER BY min({n: n, place: place})`,
    );
    return found.map(([name, row]): FoundKey => ({ name: String(name), row: Number(row) }));
  };
  const first = await orderRows(`(SELECT line FROM ${lines} LIMIT 1000)`);
  return numKeys > first.length ? orderRows(lines) : first;
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

const pathOf = (name: string, flattened: ReadonlyMap<string, FlattenedField>): FlattenPath =>
  flattened.get(name)?.path ?? valueAt(name);

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
