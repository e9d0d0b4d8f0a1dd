// The names of types in CAST, RETURNING and EXTEND.
import type { TypeName } from '../ast.ts';
import { invalidSql, unplannable } from '../sql-error.ts';
import {
  arrayedBoolean,
  arrayOf,
  isText,
  isTime,
  type SqlType,
  type SqlTypeName,
  sqlTypeOfNative,
} from '../types.ts';

/** The type of a written name. Throws for an unknown name. */
export function typeOfName({ name, native, array, precision, scale, at }: TypeName): SqlType {
  if (unplannedTypes.has(name)) throw unplannable();
  const type = native ? sqlTypeOfNative(name) : typeNamed(name, precision, scale);
  if (!type) throw invalidSql(`Unknown identifier '${name}'`, at);
  // Conditions are numbers inside arrays.
  return array ? arrayOf(type.name === 'BOOLEAN' ? arrayedBoolean : type) : type;
}

// Calcite types without values in the engine.
const unplannedTypes: ReadonlySet<string> = new Set(['BINARY', 'TIME', 'VARBINARY']);

/**
 * Whether the planner accepts the cast, so that only the engine refuses it: a text to bytes, or a
 * time to a TIME.
 */
export const isPlannedCast = ({ name }: TypeName, from: SqlType): boolean =>
  !unplannedTypes.has(name) || (name === 'TIME' ? isTime(from) : isText(from));

function typeNamed(
  name: string,
  precision: number | undefined,
  scale: number | undefined,
): SqlType | undefined {
  const sqlName = Object.hasOwn(names, name) ? names[name] : undefined;
  if (!sqlName) return undefined;
  if (sqlName === 'DECIMAL')
    return { name: sqlName, precision: precision ?? 19, scale: scale ?? 0 };
  return {
    name: sqlName,
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  };
}

const names: Readonly<Record<string, SqlTypeName>> = {
  VARCHAR: 'VARCHAR',
  'CHARACTER VARYING': 'VARCHAR',
  'CHAR VARYING': 'VARCHAR',
  CHAR: 'CHAR',
  CHARACTER: 'CHAR',
  BIGINT: 'BIGINT',
  INTEGER: 'INTEGER',
  INT: 'INTEGER',
  SMALLINT: 'SMALLINT',
  TINYINT: 'TINYINT',
  DOUBLE: 'DOUBLE',
  'DOUBLE PRECISION': 'DOUBLE',
  FLOAT: 'FLOAT',
  REAL: 'REAL',
  DECIMAL: 'DECIMAL',
  DEC: 'DECIMAL',
  NUMERIC: 'DECIMAL',
  BOOLEAN: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMP',
  DATE: 'DATE',
};
