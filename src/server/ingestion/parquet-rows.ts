// Raw rows of Parquet files.
import { requestLimits } from '../../model/limits.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import { invalidSpec } from '../checks/spec-fields.ts';
import type { Session } from '../engine/session.ts';
import { identifier, quote } from '../engine/sql-text.ts';
import type { InputFile } from './input-file.ts';
import {
  checkColumns,
  created,
  limitOf,
  type RawField,
  type RawRows,
  type ToStage,
} from './raw-rows.ts';

export async function stageParquet(
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
