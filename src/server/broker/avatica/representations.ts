// Avatica's names and numbers for representations of values.
import type { Enumeration } from './wire.ts';

/** Representations of values, by number. */
export const representations: Enumeration = {
  kind: 'enum',
  numbers: Object.fromEntries(
    'PRIMITIVE_BOOLEAN PRIMITIVE_BYTE PRIMITIVE_CHAR PRIMITIVE_SHORT PRIMITIVE_INT PRIMITIVE_LONG PRIMITIVE_FLOAT PRIMITIVE_DOUBLE BOOLEAN BYTE CHARACTER SHORT INTEGER LONG FLOAT DOUBLE JAVA_SQL_TIME JAVA_SQL_TIMESTAMP JAVA_SQL_DATE JAVA_UTIL_DATE BYTE_STRING STRING NUMBER OBJECT NULL BIG_INTEGER BIG_DECIMAL ARRAY STRUCT MULTISET'
      .split(' ')
      .map((name, number) => [name, number]),
  ),
};
