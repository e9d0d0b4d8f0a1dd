// Rows to try native expressions and filters on, and the real engine to do it.

import { newestVersion } from '../../../src/model/engine-version.ts';
import type { Position } from '../../../src/sql/ast.ts';
import type { Scope, Typed } from '../../../src/sql/expressions/typed.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';
import {
  bigint,
  double,
  multiValueVarchar,
  type SqlType,
  timestamp,
  varchar,
} from '../../../src/sql/types.ts';
import { engineFor, temporaryStorage } from '../../support/storage.ts';

const types: Readonly<Record<string, SqlType>> = {
  __time: timestamp,
  s: varchar,
  l: bigint,
  d: double,
  mv: multiValueVarchar,
};

const rows = `(VALUES
  (1704067200000::BIGINT, 'abc', 1::BIGINT, 0.5::DOUBLE, ['x', 'y']),
  (1704153600000, 'Zed', -7, 2.5, ['y']),
  (1706745600000, NULL, NULL, NULL, NULL)
) AS r(__time, s, l, d, mv)`;

const nothing = (): never => {
  throw new Error('Neither queries nor aggregates stand here');
};

export const scope: Scope = {
  environment: {
    now: () => 1_750_000_000_000n,
    version: newestVersion,
    timeZone: 'UTC',
    context: {},
    parameters: [],
    lookup: () => undefined,
    inPlanning: (check) => check(),
    isNative: true,
  },
  column(names: readonly string[], at: Position): Typed {
    const type = types[names[0] ?? ''];
    if (type === undefined) {
      throw new SqlError(`Column '${names.join('.')}' not found in any table`);
    }
    return { type, sql: `"${names[0]}"`, at };
  },
  subquery: nothing,
  exists: nothing,
  inQuery: nothing,
  quantified: nothing,
  aggregate: nothing,
};

/** What each of the rows gives for each text of DuckDB. */
export async function valuesOf(texts: readonly string[]): Promise<unknown[][]> {
  const engine = engineFor(await temporaryStorage());
  const { chunks } = await engine.rows(`SELECT ${texts.join(', ')} FROM ${rows} ORDER BY __time`);
  return texts.map((_, index) => chunks.flatMap(({ columns }) => [...(columns[index] ?? [])]));
}
