// Description of a statement's columns and parameters for a driver (Druid:
// AbstractDruidJdbcStatement).
import type { OutputColumn } from '../../../sql/statement.ts';
import type { SqlType, SqlTypeName } from '../../../sql/types.ts';
import { noRepresentation } from './refusals.ts';

/** A statement, its columns and its parameters; rows are sent as lists. */
export interface Signature {
  readonly columns: readonly object[];
  readonly sql: string;
  readonly parameters: readonly object[];
  readonly cursorFactory: object;
  readonly statementType: 'SELECT';
}

export interface SignatureParts {
  readonly sql: string;
  readonly columns: readonly OutputColumn[];
  readonly parameters: readonly SqlType[];
  /** How a driver represents rows: ARRAY before the rows are available, LIST with them. */
  readonly style: 'ARRAY' | 'LIST';
  /** Whether a column can be null. */
  readonly isNullable?: (column: string) => boolean;
}

/** The signature of a statement. Refuses columns of types that JDBC does not have. */
export const signatureOf = ({
  sql,
  columns,
  parameters,
  style,
  isNullable = () => true,
}: SignatureParts): Signature => ({
  columns: columns.map((column, ordinal) => columnOf(column, ordinal, isNullable(column.name))),
  sql,
  parameters: parameters.map(parameterOf),
  cursorFactory: { style, clazz: null, fieldNames: null },
  statementType: 'SELECT',
});

function columnOf({ name, type }: OutputColumn, ordinal: number, isNullable: boolean): object {
  const { className } = jdbcTypeOf(type);
  const precision = precisionOf(type);
  return {
    ordinal,
    autoIncrement: false,
    caseSensitive: true,
    searchable: false,
    currency: false,
    nullable: isNullable ? 1 : 0, // java.sql.DatabaseMetaData: columnNullable, columnNoNulls
    signed: true,
    displaySize: precision,
    label: name,
    columnName: name,
    schemaName: null,
    precision,
    scale: scaleOf(type),
    tableName: null,
    catalogName: null,
    type: avaticaTypeOf(type),
    readOnly: true,
    writable: false,
    definitelyWritable: false,
    columnClassName: className,
  };
}

function avaticaTypeOf(type: SqlType): object {
  const { id, rep } = jdbcTypeOf(type);
  if (type.name !== 'ARRAY') return { type: 'scalar', id, name: type.name, rep };
  return {
    type: 'array',
    name: type.name,
    rep,
    component: avaticaTypeOf(type.element ?? { name: 'VARCHAR' }),
    id,
  };
}

function parameterOf(type: SqlType, index: number): object {
  const { id, className } = jdbcTypeOf(type);
  return {
    signed: false,
    precision: precisionOf(type),
    scale: scaleOf(type),
    parameterType: id,
    typeName: type.name,
    className: type.name === 'ARRAY' ? 'java.lang.Object' : className,
    name: `?${index}`,
  };
}

function precisionOf({ name, precision }: SqlType): number {
  return precision ?? jdbcTypes[name]?.precision ?? -1;
}

const isExact: readonly SqlTypeName[] = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'DECIMAL'];

// Calcite: RelDataType.SCALE_NOT_SPECIFIED.
const scaleOf = ({ name, scale = 0 }: SqlType): number =>
  isExact.includes(name) ? scale : -(2 ** 31);

function jdbcTypeOf({ name }: SqlType): JdbcType {
  const known = jdbcTypes[name];
  if (!known) throw noRepresentation(name);
  return known;
}

interface JdbcType {
  readonly id: number; // java.sql.Types
  readonly rep: 'ARRAY' | 'BOOLEAN' | 'NUMBER' | 'OBJECT' | 'STRING';
  readonly className: string;
  readonly precision: number;
}

const jdbcTypes: { readonly [Name in SqlTypeName]?: JdbcType } = {
  CHAR: { id: 1, rep: 'STRING', className: 'java.lang.String', precision: 1 },
  VARCHAR: { id: 12, rep: 'STRING', className: 'java.lang.String', precision: -1 },
  BOOLEAN: { id: 16, rep: 'BOOLEAN', className: 'java.lang.Boolean', precision: 1 },
  TINYINT: { id: -6, rep: 'NUMBER', className: 'java.lang.Byte', precision: 3 },
  SMALLINT: { id: 5, rep: 'NUMBER', className: 'java.lang.Short', precision: 5 },
  INTEGER: { id: 4, rep: 'NUMBER', className: 'java.lang.Integer', precision: 10 },
  BIGINT: { id: -5, rep: 'NUMBER', className: 'java.lang.Long', precision: 19 },
  DECIMAL: { id: 3, rep: 'NUMBER', className: 'java.math.BigDecimal', precision: 19 },
  FLOAT: { id: 6, rep: 'NUMBER', className: 'java.lang.Double', precision: 15 },
  REAL: { id: 7, rep: 'NUMBER', className: 'java.lang.Float', precision: 7 },
  DOUBLE: { id: 8, rep: 'NUMBER', className: 'java.lang.Double', precision: 15 },
  DATE: { id: 91, rep: 'NUMBER', className: 'java.sql.Date', precision: 0 },
  TIMESTAMP: { id: 93, rep: 'NUMBER', className: 'java.sql.Timestamp', precision: 3 },
  OTHER: { id: 1111, rep: 'OBJECT', className: 'java.lang.Object', precision: -1 },
  ARRAY: { id: 2003, rep: 'ARRAY', className: 'java.sql.Array', precision: -1 },
};
