// Expressions over a small table: resolved as the translation does, and run on the real engine with
// its macros and functions.

import { onTestFinished } from 'vitest';
import { newestVersion } from '../../src/model/engine-version.ts';
import { Engine } from '../../src/server/engine/engine.ts';
import type { Position } from '../../src/sql/ast.ts';
import type { Scope, Typed } from '../../src/sql/expressions/typed.ts';
import { resolveAggregate } from '../../src/sql/functions/aggregates.ts';
import { parseExpressionText } from '../../src/sql/parse/parse.ts';
import { resolveExpression } from '../../src/sql/resolution/resolve-expression.ts';
import { invalidSql } from '../../src/sql/sql-error.ts';
import {
  arrayOf,
  bigint,
  double,
  float,
  json,
  multiValueVarchar,
  type SqlType,
  timestamp,
  varchar,
} from '../../src/sql/types.ts';
import { temporaryFolder } from '../support/storage.ts';

/** The columns of the table, and its two rows as DuckDB text. */
const columns: Readonly<Record<string, SqlType>> = {
  __time: timestamp,
  n: bigint,
  d: double,
  f: float,
  s: varchar,
  mv: multiValueVarchar,
  numbers: arrayOf(bigint),
  j: json,
};

const rows = `(SELECT * FROM (VALUES
  (1704164645006, 7::BIGINT, 2.5::DOUBLE, 0.1::FLOAT, 'alpha', ['a', 'b'], [1, NULL, 3]::BIGINT[], '{"a":[1,{"b":2.5}],"t":"x"}'::JSON),
  (0, 9223372036854775807, 'nan', NULL, '😀 ☕', ['c'], NULL, NULL)
) AS t (__time, n, d, f, s, mv, numbers, j))`;

export interface ExpressionContext {
  readonly timeZone?: string;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** What an expression means over the table. */
export function resolved(
  text: string,
  { timeZone = 'UTC', context = {} }: ExpressionContext = {},
): Typed {
  const nothing = (at: Position): never => {
    throw invalidSql('There are no queries here', at);
  };
  const scope: Scope = {
    environment: {
      now: () => 1_714_564_800_000n,
      version: newestVersion,
      timeZone,
      context,
      inPlanning: (check) => check(),
      parameters: [],
      lookup: (name) =>
        name === 'greek' ? "(SELECT * FROM (VALUES ('alpha', 'Alpha')) AS l (k, v))" : undefined,
    },
    column(names, at) {
      const name = names.at(-1) ?? '';
      const type = columns[name];
      if (!type) throw invalidSql(`Column '${name}' not found in any table`, at);
      return { type, at, sql: `"${name}"`, isRepeatable: true };
    },
    aggregate(call) {
      const args = call.args
        .filter(({ kind }) => kind !== 'star')
        .map((part) => resolveExpression(part, scope));
      return { at: call.at, ...resolveAggregate(call, args, scope.environment) };
    },
    subquery: ({ at }) => nothing(at),
    exists: ({ at }) => nothing(at),
    inQuery: (_, { at }) => nothing(at),
    quantified: (_, __, ___, { at }) => nothing(at),
  };
  return resolveExpression(parseExpressionText(text), scope);
}

/**
 * An engine that runs expressions, until the test ends. `values` gives one value per row, `value`
 * the only one.
 */
export async function expressions() {
  const spillFolder = await temporaryFolder();
  const engine = new Engine({ allowedFolders: [], spillFolder, threads: 1 });
  onTestFinished(() => engine.close());
  const run = async (sql: string): Promise<readonly unknown[]> => {
    const { chunks } = await engine.query(sql);
    const found: unknown[] = [];
    for await (const chunk of chunks)
      found.push(...(chunk.columns[0] ?? []).slice(0, chunk.rowCount));
    return found;
  };
  return {
    values: (text: string, context?: ExpressionContext) =>
      run(`SELECT ${resolved(text, context).sql} FROM ${rows}`),
    value: async (text: string, context?: ExpressionContext) =>
      (await run(`SELECT ${resolved(text, context).sql}`))[0],
  };
}
