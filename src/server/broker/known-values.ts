// Few values of queries behind IN, read before the statement that asks for them, as a Broker does
// (Druid: ClientQuerySegmentWalker). With them in its text, DuckDB compares each text of a
// dictionary once, where a join hashes each row.
import { inlinedTexts } from '../../sql/resolution/inlined-sizes.ts';
import type { InlinedRows, KnownValues, SelectStatement } from '../../sql/statement.ts';
import type { Engine, QueryOptions } from '../engine/engine.ts';

/**
 * The values of the queries behind IN that have few rows, none of which is null. `sizes` are the
 * numbers of the statement's inlined rows. Empty for a statement with many of these, or with so few
 * rows to read that it is not worth another planning.
 */
export async function knownValues(
  { inlined, numRows }: SelectStatement,
  sizes: readonly number[],
  engine: Engine,
  options: QueryOptions,
): Promise<readonly KnownValues[]> {
  if (numRows < leastRows || inlined.length > mostInlined) return [];
  const few = inlined.filter((_, index) => hasFew(sizes[index] ?? 0));
  const asked = few.flatMap((rows) => behindIn(rows, inlined));
  if (asked.length === 0) return [];
  const { chunks } = await engine.rows(inlinedTexts(asked), options);
  return asked.flatMap(({ among }, index) => {
    const values: unknown = chunks[0]?.columns[index]?.[0];
    return Array.isArray(values) && hasFew(values.length) && areShortTexts(values)
      ? [{ among, values }]
      : [];
  });
}

const areShortTexts = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string' && value.length <= mostLength);

const leastRows = 200_000;
const mostInlined = 50;
const hasFew = (count: number) => count > 0 && count <= 16;
const mostLength = 1000; // of a text that becomes a part of the statement

// The same place may be translated to several queries, whose values differ.
function behindIn(
  { among, ...rows }: InlinedRows,
  all: readonly InlinedRows[],
): readonly (InlinedRows & Pick<KnownValues, 'among'>)[] {
  const isHere = ({ among: other }: InlinedRows) =>
    other?.line === among?.line && other?.column === among?.column;
  return among && all.filter(isHere).length === 1 ? [{ ...rows, among }] : [];
}
