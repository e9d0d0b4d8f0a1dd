// Tables of INFORMATION_SCHEMA (from the SQL standard, in Druid's form: docs, "SQL metadata
// tables").
import type { TableColumn } from '../../sql/catalog.ts';
import { type SqlType, sqlTypeOfNative, varchar as text, timestamp } from '../../sql/types.ts';
import { bigint, rowsOfCells, type SystemCell, type SystemTable, varchar } from './system-table.ts';

/**
 * Content of the schema tables: every table that a caller may see, and the functions of the
 * dialect.
 */
export interface Described {
  readonly tables: readonly DescribedTable[];
  readonly routines: readonly Routine[];
}

export interface DescribedTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly joinable: boolean;
  readonly broadcast: boolean;
}

export interface Routine {
  readonly name: string;
  readonly isAggregate: boolean;
  readonly signatures: string | null;
}

const catalogName = 'druid';
const schemas = ['druid', 'INFORMATION_SCHEMA', 'lookup', 'sys', 'view'];

/** The four tables; `describe` is called when a query reads them. */
export const informationSchema = (describe: () => Described): readonly SystemTable[] =>
  schemaTables(describe).map(({ cells, ...table }) => ({
    ...table,
    schema: 'INFORMATION_SCHEMA',
    rows: () => rowsOfCells(table.columns, cells()),
  }));

interface SchemaTable extends Pick<SystemTable, 'name' | 'columns'> {
  readonly cells: () => readonly (readonly SystemCell[])[];
}

const schemaTables = (describe: () => Described): readonly SchemaTable[] => [
  {
    name: 'SCHEMATA',
    columns: varchar(
      'CATALOG_NAME',
      'SCHEMA_NAME',
      'SCHEMA_OWNER',
      'DEFAULT_CHARACTER_SET_CATALOG',
      'DEFAULT_CHARACTER_SET_SCHEMA',
      'DEFAULT_CHARACTER_SET_NAME',
      'SQL_PATH',
    ),
    cells: () => schemas.map((schema) => [catalogName, schema, null, null, null, null, null]),
  },
  {
    name: 'TABLES',
    columns: varchar(
      'TABLE_CATALOG',
      'TABLE_SCHEMA',
      'TABLE_NAME',
      'TABLE_TYPE',
      'IS_JOINABLE',
      'IS_BROADCAST',
    ),
    cells: () => inOrder(describe().tables).map(tableRow),
  },
  {
    name: 'COLUMNS',
    columns: [
      ...varchar('TABLE_CATALOG', 'TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME'),
      ...bigint('ORDINAL_POSITION'),
      ...varchar(
        'COLUMN_DEFAULT',
        'IS_NULLABLE',
        'DATA_TYPE',
        'CHARACTER_MAXIMUM_LENGTH',
        'CHARACTER_OCTET_LENGTH',
      ),
      ...bigint(
        'NUMERIC_PRECISION',
        'NUMERIC_PRECISION_RADIX',
        'NUMERIC_SCALE',
        'DATETIME_PRECISION',
      ),
      ...varchar('CHARACTER_SET_NAME', 'COLLATION_NAME'),
      ...bigint('JDBC_TYPE'),
    ],
    cells: () =>
      inOrder(describe().tables).flatMap((table) =>
        table.columns.map((column, at) => columnRow(table, column, at + 1)),
      ),
  },
  {
    name: 'ROUTINES',
    columns: varchar(
      'ROUTINE_CATALOG',
      'ROUTINE_SCHEMA',
      'ROUTINE_NAME',
      'ROUTINE_TYPE',
      'IS_AGGREGATOR',
      'SIGNATURES',
    ),
    cells: () =>
      describe().routines.map(({ name, isAggregate, signatures }) => [
        catalogName,
        'INFORMATION_SCHEMA',
        name,
        'FUNCTION',
        isAggregate ? 'YES' : 'NO',
        signatures,
      ]),
  },
];

// By schema, then by name.
const inOrder = (tables: readonly DescribedTable[]): readonly DescribedTable[] =>
  [...tables].sort(
    (a, b) =>
      schemas.indexOf(a.schema) - schemas.indexOf(b.schema) ||
      Number(a.name > b.name) - Number(a.name < b.name),
  );

const yesNo = (value: boolean) => (value ? 'YES' : 'NO');

const tableRow = ({ schema, name, joinable, broadcast }: DescribedTable) => [
  catalogName,
  schema,
  name,
  schema === 'druid' || schema === 'lookup' ? 'TABLE' : 'SYSTEM_TABLE',
  yesNo(joinable),
  yesNo(broadcast),
];

function columnRow({ schema, name }: DescribedTable, column: TableColumn, position: number) {
  const type = column.sqlType === 'TIMESTAMP' ? timestamp : (sqlTypeOfNative(column.type) ?? text);
  const {
    precision = null,
    radix = null,
    scale = null,
    timePrecision = null,
    jdbcType,
  } = factsOf(type);
  return [
    catalogName,
    schema,
    name,
    column.name,
    BigInt(position),
    '',
    yesNo(column.name !== '__time' && column.nullable !== false),
    type.name === 'OTHER' && type.complex ? `COMPLEX<${type.complex}>` : type.name,
    null,
    null,
    precision,
    radix,
    scale,
    timePrecision,
    type.name === 'VARCHAR' ? 'UTF-16LE' : null,
    type.name === 'VARCHAR' ? 'UTF-16LE$en_US$primary' : null,
    jdbcType,
  ];
}

interface TypeFacts {
  readonly jdbcType: bigint;
  readonly precision?: bigint;
  readonly radix?: bigint;
  readonly scale?: bigint;
  readonly timePrecision?: bigint;
}

function factsOf(type: SqlType): TypeFacts {
  switch (type.name) {
    case 'VARCHAR':
      return { jdbcType: 12n };
    case 'BIGINT':
      return { jdbcType: -5n, precision: 19n, radix: 10n, scale: 0n };
    case 'FLOAT':
      return { jdbcType: 6n, precision: 15n, radix: 10n, scale: -2_147_483_648n };
    case 'DOUBLE':
      return { jdbcType: 8n, precision: 15n, radix: 10n, scale: -2_147_483_648n };
    case 'TIMESTAMP':
      return { jdbcType: 93n, timePrecision: 3n };
    case 'ARRAY':
      return { jdbcType: 2003n };
    default:
      return { jdbcType: 1111n };
  }
}
