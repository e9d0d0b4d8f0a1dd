// druid-query-toolkit, the parser of Druid's web console, reads a part of the dialect: what it
// accepts, we accept.
import { SqlQuery } from 'druid-query-toolkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExpressionText, parseStatements } from '../../src/sql/parse/parse.ts';
import { unparse } from '../../src/sql/parse/unparse.ts';
import { SqlError } from '../../src/sql/sql-error.ts';

const name = fc.constantFrom('a', 'b', 't.a', '"x y"', '"t"."A"', '__time', 'größe');
const literal = fc.constantFrom(
  '1',
  '2.5',
  '1e3',
  "'it''s'",
  'TRUE',
  'NULL',
  "TIMESTAMP '2000-01-01 00:00:00'",
  "INTERVAL '1' DAY",
  '?',
);
const { expression, query } = fc.letrec<{ expression: string; query: string }>((tie) => {
  const e = tie('expression');
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      name,
      literal,
      fc
        .tuple(
          e,
          fc.constantFrom('+', '-', '*', '/', '||', '=', '<>', '<', '<=', '>', '>=', 'AND', 'OR'),
          e,
        )
        .map((parts) => parts.join(' ')),
      fc.tuple(fc.constantFrom('NOT', '-', '+'), e).map((parts) => parts.join(' ')),
      fc
        .tuple(
          e,
          fc.constantFrom(
            'IS NULL',
            'IS NOT NULL',
            "LIKE 'x%'",
            "NOT LIKE 'x'",
            'BETWEEN 1 AND 2',
            'IN (1, 2)',
            'NOT IN (1)',
          ),
        )
        .map((p) => p.join(' ')),
      e.map((inner) => `(${inner})`),
      fc
        .tuple(
          fc.constantFrom('ABS', 'MAX', 'TIME_FLOOR', 'CONCAT', 'COALESCE'),
          fc.array(e, { maxLength: 3 }),
        )
        .map(([f, args]) => `${f}(${args.join(', ')})`),
      e.map((inner) => `CAST(${inner} AS VARCHAR)`),
      fc
        .tuple(e, e, e)
        .map(([when, then, otherwise]) => `CASE WHEN ${when} THEN ${then} ELSE ${otherwise} END`),
      e.map((inner) => `COUNT(*) FILTER (WHERE ${inner})`),
      fc.tuple(e, e).map(([by, order]) => `SUM(a) OVER (PARTITION BY ${by} ORDER BY ${order})`),
      tie('query').map((inner) => `(${inner})`),
      fc.array(e, { minLength: 1, maxLength: 3 }).map((items) => `ARRAY[${items.join(', ')}]`),
    ),
    query: fc
      .tuple(
        fc.constantFrom('', 'DISTINCT '),
        fc.array(e, { minLength: 1, maxLength: 3 }),
        fc.option(
          fc.oneof(
            fc.constantFrom(
              't',
              'druid.t',
              't AS u',
              'a JOIN b ON a.x = b.x',
              'a, b',
              'a CROSS JOIN b',
            ),
            tie('query').map((inner) => `(${inner}) AS q`),
          ),
        ),
        fc.option(e),
        fc.option(fc.array(e, { minLength: 1, maxLength: 2 })),
        fc.option(e),
        fc.option(fc.nat(100)),
      )
      .map(([distinct, items, from, where, groupBy, orderBy, limit]) =>
        [
          `SELECT ${distinct}${items.map((item, index) => `${item} AS c${index}`).join(', ')}`,
          from === null ? '' : `FROM ${from}`,
          from === null || where === null ? '' : `WHERE ${where}`,
          from === null || groupBy === null ? '' : `GROUP BY ${groupBy.join(', ')}`,
          from === null || orderBy === null ? '' : `ORDER BY ${orderBy} DESC`,
          limit === null ? '' : `LIMIT ${limit}`,
        ]
          .filter((part) => part !== '')
          .join('\n'),
      ),
  };
});

test('what the console understands, the service understands', () => {
  let understood = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        query,
        expression.map((each) => `SELECT ${each}`),
      ),
      (sql) => {
        if (SqlQuery.maybeParse(sql) !== undefined) {
          understood += 1;
          expect(() => parseStatements(sql), sql).not.toThrow();
        }
      },
    ),
    { numRuns: 400 },
  );
  expect(understood).toBeGreaterThan(100);
});

test('an expression written back means the same', () => {
  const plain = expression.filter((text) => !text.includes('SELECT') && !text.includes('`'));
  fc.assert(
    fc.property(plain, (sql) => {
      const written = unparse(parseExpressionText(sql));
      expect(unparse(parseExpressionText(written.replaceAll('`', '"'))), sql).toBe(written);
    }),
    { numRuns: 400 },
  );
});

test('any text is understood or refused with a reason', () => {
  const fragment = fc.constantFrom(
    'SELECT',
    'FROM',
    'a',
    '(',
    ')',
    ',',
    '*',
    '.',
    "'x'",
    '1',
    'JOIN',
    'ON',
    'WHERE',
    'BY',
    'GROUP',
    'AS',
    'CASE',
    'END',
    ';',
    'UNION',
    '"',
    "'",
    '--',
    '[',
    ']',
    'SET',
    '=',
    'IN',
    'NOT',
    'OVER',
    'PIVOT',
    'UNNEST',
    'WITH',
    'TABLE',
    'VALUES',
    'INTERVAL',
    'U&',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(' ')),
        fc.string({ unit: 'binary' }),
      ),
      (sql) => {
        try {
          parseStatements(sql);
        } catch (error) {
          expect(error).toBeInstanceOf(SqlError);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
