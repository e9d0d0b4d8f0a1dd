// Metadata requests of JDBC drivers as SQL over INFORMATION_SCHEMA (Druid: DruidMeta). The text is
// part of the reply.

export interface MetadataQuery {
  readonly sql: string;
  readonly nullable: readonly string[]; // nullable columns
}

type Text = string | null | undefined;

/** All catalogs. */
export const catalogsSql = (): MetadataQuery =>
  query(['DISTINCT CATALOG_NAME AS TABLE_CAT'], 'SCHEMATA', undefined, 'TABLE_CAT');

/** The schemas of a catalog whose names match a pattern. */
export const schemasSql = (catalog: Text, schema: Text): MetadataQuery =>
  query(
    ['SCHEMA_NAME AS TABLE_SCHEM', 'CATALOG_NAME AS TABLE_CATALOG'],
    'SCHEMATA',
    [equal('SCHEMATA.CATALOG_NAME', catalog), like('SCHEMATA.SCHEMA_NAME', schema)],
    'TABLE_CATALOG, TABLE_SCHEM',
  );

/** The types of tables. */
export const tableTypesSql = (): MetadataQuery =>
  query(['DISTINCT TABLE_TYPE AS TABLE_TYPE'], 'TABLES', undefined, 'TABLE_TYPE');

/** Tables of a catalog whose schemas and names match patterns, of the given types. */
export const tablesSql = (
  catalog: Text,
  schema: Text,
  table: Text,
  types: readonly string[] | null | undefined,
): MetadataQuery =>
  query(
    [
      'TABLE_CATALOG AS TABLE_CAT',
      'TABLE_SCHEMA AS TABLE_SCHEM',
      'TABLE_NAME AS TABLE_NAME',
      'TABLE_TYPE AS TABLE_TYPE',
      ...[
        'REMARKS',
        'TYPE_CAT',
        'TYPE_SCHEM',
        'TYPE_NAME',
        'SELF_REFERENCING_COL_NAME',
        'REF_GENERATION',
      ].map(absent),
    ],
    'TABLES',
    [
      equal('TABLES.TABLE_CATALOG', catalog),
      like('TABLES.TABLE_SCHEMA', schema),
      like('TABLES.TABLE_NAME', table),
      // In JDBC, null means any type. Drivers send an empty list for none, which the real engine
      // does not understand.
      types &&
        (types.length === 0 ? 'FALSE' : `TABLES.TABLE_TYPE IN (${types.map(literal).join(', ')})`),
    ],
    'TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME',
  );

/** Columns of a catalog whose schemas, tables and names match patterns. */
export const columnsSql = (catalog: Text, schema: Text, table: Text, column: Text): MetadataQuery =>
  query(
    [
      'TABLE_CATALOG AS TABLE_CAT',
      'TABLE_SCHEMA AS TABLE_SCHEM',
      'TABLE_NAME AS TABLE_NAME',
      'COLUMN_NAME AS COLUMN_NAME',
      'CAST(JDBC_TYPE AS INTEGER) AS DATA_TYPE',
      'DATA_TYPE AS TYPE_NAME',
      ...['COLUMN_SIZE', 'BUFFER_LENGTH', 'DECIMAL_DIGITS', 'NUM_PREC_RADIX'].map(unknown),
      "CASE IS_NULLABLE WHEN 'YES' THEN 1 ELSE 0 END AS NULLABLE",
      absent('REMARKS'),
      'COLUMN_DEFAULT AS COLUMN_DEF',
      ...['SQL_DATA_TYPE', 'SQL_DATETIME_SUB', 'CHAR_OCTET_LENGTH'].map(unknown),
      'CAST(ORDINAL_POSITION AS INTEGER) AS ORDINAL_POSITION',
      'IS_NULLABLE AS IS_NULLABLE',
      ...['SCOPE_CATALOG', 'SCOPE_SCHEMA', 'SCOPE_TABLE'].map(absent),
      unknown('SOURCE_DATA_TYPE'),
      "'NO' AS IS_AUTOINCREMENT",
      "'NO' AS IS_GENERATEDCOLUMN",
    ],
    'COLUMNS',
    [
      equal('COLUMNS.TABLE_CATALOG', catalog),
      like('COLUMNS.TABLE_SCHEMA', schema),
      like('COLUMNS.TABLE_NAME', table),
      like('COLUMNS.COLUMN_NAME', column),
    ],
    'TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION',
  );

// Queries that cannot have conditions have no line for them; without chosen conditions, the line is
// empty.
function query(
  columns: readonly string[],
  table: string,
  given: readonly (Text | false)[] | undefined,
  order: string,
): MetadataQuery {
  const conditions = (given ?? []).filter((condition) => typeof condition === 'string');
  const where = given && `${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}\n`;
  return {
    sql: `SELECT\n${columns.map((column) => `  ${column}`).join(',\n')}\nFROM\n  INFORMATION_SCHEMA.${table}\n${where ?? ''}ORDER BY\n  ${order}\n`,
    nullable: columns
      .filter((column) => column.startsWith(nothing))
      .map((column) => column.slice(nothing.length)),
  };
}

const nothing = 'CAST(NULL AS VARCHAR) AS ';
const absent = (name: string) => `${nothing}${name}`;
const unknown = (name: string) => `-1 AS ${name}`;

const equal = (column: string, value: Text) =>
  typeof value === 'string' ? `${column} = ${literal(value)}` : undefined;
const like = (column: string, pattern: Text) =>
  typeof pattern === 'string' ? `${column} LIKE ${literal(pattern)} ESCAPE '\\'` : undefined;

/**
 * A text as a SQL literal: all characters except letters, digits and spaces are escaped (Druid:
 * Calcites.escapeStringLiteral).
 */
function literal(text: string): string {
  const escaped = text.replace(/[^\p{L}\p{Nd} ]/gu, (sign) =>
    Array.from(
      { length: sign.length },
      (_, at) => `\\${sign.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`,
    ).join(''),
  );
  return escaped === text ? `'${text}'` : `U&'${escaped}'`;
}
