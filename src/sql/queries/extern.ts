// Table functions: EXTERN and its relatives (docs/multi-stage-query/reference.md), and APPEND,
// which concatenates datasources.
import type { Call, ColumnDeclaration, Expression, Position, TableFunction } from '../ast.ts';
import type { Table, TableColumn } from '../catalog.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { typeOfName } from '../expressions/type-name.ts';
import type { Constant } from '../expressions/typed.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryScope } from '../resolution/scope.ts';
import type { Translation } from '../resolution/translation.ts';
import { invalidSql, SqlError, unknownFunction, unsupportedSql } from '../sql-error.ts';
import type { Extern } from '../statement.ts';
import { duckdbTypeOf, leastRestrictive, nativeTypeOf, sqlTypeOfNative } from '../types.ts';

/** The table that a table function yields. `datasource` looks up the arguments of APPEND. */
export function resolveTableFunction(
  { call, extend, at }: TableFunction,
  translation: Translation,
  scope: QueryScope,
  datasource: (name: string, at: Position) => Table,
): Table {
  if (call.name === 'APPEND') return append(call, scope, datasource);
  const parts = externParts(call, extend, scope, at);
  if (translation.engine === 'native')
    throw unsupportedSql('Cannot use [EXTERN] with SQL engine [native].');
  if (!translation.resources.some(({ type }) => type === 'EXTERNAL'))
    translation.resources.push({ type: 'EXTERNAL', name: 'EXTERNAL', action: 'READ' });
  const relation = `extern_${translation.externs.length + 1}`;
  translation.externs.push({ relation, ...parts });
  const columns = parts.signature.map(
    ({ name, type }): TableColumn => ({ name, type, multiValue: false, nullable: true }),
  );
  return {
    schema: 'EXTERN',
    name: relation,
    kind: 'inline',
    columns,
    scan: (wanted) => ({
      sql: `(SELECT ${wanted.columns.map(identifiersOf(columns)).join(', ')} FROM ${identifier(relation)})`,
      files: [],
    }),
  };
}

// ── EXTERN ───────────────────────────────────────────────────────────────────────────────────────

function externParts(
  call: Call,
  extend: readonly ColumnDeclaration[] | undefined,
  scope: QueryScope,
  at: Position,
): Omit<Extern, 'relation'> {
  const args = namedArguments(call, scope);
  if (call.name === 'EXTERN') {
    refuseUnknownArguments(call, args);
    const source = jsonArgument(args.get('inputSource') ?? args.get('0'), 'inputSource', call);
    const format = jsonArgument(args.get('inputFormat') ?? args.get('1'), 'inputFormat', call);
    const written = args.get('signature') ?? args.get('2');
    if (written === undefined && !extend)
      throw invalidSql('EXTERN requires either a [signature] value or an EXTEND clause', at);
    if (written !== undefined && extend)
      throw invalidSql(
        'EXTERN requires either a [signature] value or an EXTEND clause, but not both',
        at,
      );
    return {
      inputSource: source,
      inputFormat: format,
      signature:
        written === undefined ? declaredColumns(extend ?? []) : writtenSignature(written, call),
    };
  }
  const inputSource = inputSourceOf(call, args);
  if (!extend) throw invalidSql(`${call.name} requires a list of columns`, at);
  const signature = declaredColumns(extend);
  return {
    inputSource,
    inputFormat: inputFormatOf(
      args,
      signature.map(({ name }) => name),
      call,
    ),
    signature,
  };
}

function refuseUnknownArguments({ name, at }: Call, args: Arguments): void {
  const known = ['inputSource', 'inputFormat', 'signature', '0', '1', '2'];
  if ([...args.keys()].every((argument) => known.includes(argument))) return;
  throw unknownFunction(
    `${name}(${[...args.keys()].join(', ')}): it takes ${known.slice(0, 3).join(', ')}`,
    at,
  );
}

type Arguments = ReadonlyMap<string, Constant>;

function namedArguments({ args, argumentNames }: Call, scope: QueryScope): Arguments {
  return new Map(
    args.map((argument, index): [string, Constant] => [
      argumentNames?.[index] ?? String(index),
      constantOf(argument, scope),
    ]),
  );
}

function constantOf(argument: Expression, scope: QueryScope): Constant {
  const { constant } = resolveExpression(argument, scope);
  if (constant === undefined)
    throw invalidSql('Arguments of a table function must be constants', argument.at);
  return constant;
}

function jsonArgument(
  text: Constant | undefined,
  name: string,
  { at }: Call,
): Readonly<Record<string, unknown>> {
  const value = typeof text === 'string' ? parseArgument(text) : undefined;
  if (!isRecord(value)) throw invalidSql(`Function EXTERN: [${name}] must be a JSON object`, at);
  const known = name === 'inputSource' ? inputSources : inputFormats;
  if (typeof value.type === 'string' && known.includes(value.type)) return value;
  throw invalidSql(
    `Invalid value for the field [${name}]. Reason: [Could not resolve type id '${String(value.type)}' as a subtype; known are ${known.join(', ')}]`,
    at,
  );
}

const inputSources = [
  'inline',
  'http',
  'local',
  's3',
  'google',
  'azure',
  'azureStorage',
  'hdfs',
  'druid',
  'sql',
  'combining',
  'iceberg',
  'delta',
];
const inputFormats = [
  'json',
  'csv',
  'tsv',
  'regex',
  'parquet',
  'orc',
  'avro_ocf',
  'avro_stream',
  'protobuf',
  'kafka',
  'kinesis',
  'lines',
  'javascript',
  'thrift',
];

function writtenSignature(text: Constant, { at }: Call): Extern['signature'] {
  const value = typeof text === 'string' ? parseArgument(text) : undefined;
  if (!Array.isArray(value) || value.length === 0)
    throw invalidSql('Function EXTERN: [signature] must be a JSON array of columns', at);
  return value.map((column: unknown) => {
    const isColumn =
      isRecord(column) && typeof column.name === 'string' && typeof column.type === 'string';
    const type = isColumn ? sqlTypeOfNative(String(column.type)) : undefined;
    const native = type && nativeTypeOf(type);
    if (!isColumn || !native)
      throw invalidSql(
        `Function EXTERN: [signature] has an invalid column [${JSON.stringify(column)}]`,
        at,
      );
    return { name: String(column.name), type: native };
  });
}

function declaredColumns(columns: readonly ColumnDeclaration[]): Extern['signature'] {
  return columns.map(({ name, type }) => ({
    name,
    type: nativeTypeOf(typeOfName(type)) ?? 'STRING',
  }));
}

function inputSourceOf(call: Call, args: Arguments): Readonly<Record<string, unknown>> {
  switch (call.name) {
    case 'INLINE':
      return { type: 'inline', data: `${texts(args.get('data')).join('\n')}\n` };
    case 'HTTP':
      return {
        type: 'http',
        uris: texts(args.get('uris') ?? args.get('0')),
        ...(args.has('userName') && { httpAuthenticationUsername: args.get('userName') }),
        ...(args.has('password') && {
          httpAuthenticationPassword: { type: 'default', password: args.get('password') },
        }),
      };
    case 'LOCALFILES':
      return {
        type: 'local',
        ...(args.has('baseDir') && { baseDir: args.get('baseDir') }),
        ...(args.has('filter') && { filter: args.get('filter') }),
        ...(args.has('files') && { files: texts(args.get('files')) }),
      };
    case 'S3':
      return {
        type: 's3',
        ...(args.has('uris') && { uris: texts(args.get('uris')) }),
        ...(args.has('prefixes') && { prefixes: texts(args.get('prefixes')) }),
        ...(args.has('objectGlob') && { objectGlob: args.get('objectGlob') }),
        ...((args.has('accessKeyId') || args.has('secretAccessKey')) && {
          properties: {
            accessKeyId: args.get('accessKeyId') ?? null,
            secretAccessKey: args.get('secretAccessKey') ?? null,
          },
        }),
      };
    default:
      throw unknownFunction(call.name, call.at);
  }
}

function inputFormatOf(
  args: Arguments,
  columns: readonly string[],
  { name, at }: Call,
): Readonly<Record<string, unknown>> {
  const format = args.get('format');
  if (typeof format !== 'string') throw invalidSql(`${name} requires a [format]`, at);
  const listDelimiter = args.has('listDelimiter')
    ? { listDelimiter: args.get('listDelimiter') }
    : {};
  const skipHeaderRows = args.has('skipRows')
    ? { skipHeaderRows: Number(args.get('skipRows')) }
    : {};
  switch (format) {
    case 'json':
      return {
        type: 'json',
        ...(args.has('keepNulls') && { keepNullColumns: args.get('keepNulls') }),
      };
    case 'csv':
      return { type: 'csv', columns, ...listDelimiter, ...skipHeaderRows };
    case 'tsv':
    case 'delimited':
      return {
        type: 'tsv',
        columns,
        ...(args.has('delimiter') && { delimiter: args.get('delimiter') }),
        ...listDelimiter,
        ...skipHeaderRows,
      };
    default:
      return { type: format };
  }
}

const texts = (value: Constant | undefined): readonly string[] =>
  Array.isArray(value)
    ? value.map(String)
    : value === undefined || value === null
      ? []
      : [String(value)];

function parseArgument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// ── APPEND ───────────────────────────────────────────────────────────────────────────────────────

// The union of all columns by name. A table without a column has null there.
function append(
  call: Call,
  scope: QueryScope,
  datasource: (name: string, at: Position) => Table,
): Table {
  const tables = call.args.map((argument) => {
    const name = constantOf(argument, scope);
    if (typeof name !== 'string')
      throw new SqlError(
        'All arguments to APPEND should be literal strings. Argument is not string',
      );
    return datasource(name, argument.at);
  });
  if (tables.length === 0) throw unknownFunction('APPEND', call.at);
  const names = [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const tableRows = rowsOf(tables);
  const columns = names.map((name) => ({
    ...commonColumn(name, tables, call.at),
    ...(tableRows !== undefined && { tableRows }),
  }));
  return {
    schema: 'druid',
    name: 'APPEND',
    kind: 'inline',
    columns,
    scan(wanted) {
      const wantedColumns = columns.filter(({ name }) => wanted.columns.includes(name));
      const inputs = tables.map((table) => {
        const own = wantedColumns
          .filter(({ name }) => table.columns.some((column) => column.name === name))
          .map(({ name }) => name);
        const fallback = table.columns[0]?.name;
        const scan = table.scan({
          ...wanted,
          columns: own.length > 0 || fallback === undefined ? own : [fallback],
        });
        const [from, to] = [identifiersOf(table.columns), identifiersOf(columns)];
        const values = wantedColumns.map(
          (column) =>
            `${own.includes(column.name) ? from(column.name) : nullOf(column)} AS ${to(column.name)}`,
        );
        return { sql: `SELECT ${values.join(', ')} FROM ${scan.sql}`, files: scan.files };
      });
      return {
        sql: `(${inputs.map(({ sql }) => sql).join(' UNION ALL ')})`,
        files: inputs.flatMap(({ files }) => files),
      };
    },
  };
}

// Undefined if the rows of a table are not known.
function rowsOf(tables: readonly Table[]): number | undefined {
  let sum = 0;
  for (const { columns } of tables) {
    const [column] = columns;
    if (column?.tableRows === undefined) return undefined;
    sum += column.tableRows;
  }
  return sum;
}

// The times and statistics of the first table are not those of the other tables.
function commonColumn(name: string, tables: readonly Table[], at: Position): TableColumn {
  const found = tables.flatMap(({ columns }) => columns.filter((column) => column.name === name));
  const [first] = found;
  const type = leastRestrictive(
    found.map((column) => sqlTypeOfNative(column.type) ?? { name: 'VARCHAR' }),
  );
  if (!first || !type) throw invalidSql(`Cannot create a common type for column [${name}]`, at);
  const { sqlType, nullable } = first;
  return {
    name,
    ...(sqlType && { sqlType }),
    ...(nullable !== undefined && { nullable }),
    type: nativeTypeOf(type) ?? first.type,
    multiValue: found.some(({ multiValue }) => multiValue),
  };
}

function nullOf({ type, multiValue }: TableColumn): string {
  const sqlType = sqlTypeOfNative(type);
  return `NULL::${sqlType ? duckdbTypeOf(multiValue ? { ...sqlType, multiValue: true } : sqlType) : 'VARCHAR'}`;
}
