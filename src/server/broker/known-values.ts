// Few values of queries behind IN, read before the statement that asks for them, as a Broker does
// (Druid: ClientQuerySegmentWalker). With them in its text, DuckDB compares each text of a
// dictionary once, where a join hashes each row.
import { inlinedTexts } from '../../sql/resolution/inlined-sizes.ts';
import type { InlinedRows, KnownValues, SelectStatement } from '../../sql/statement.ts';
import type { Engine, QueryOptions } from '../engine/engine.ts';

/**
 * The values of the queries behind IN that have few rows, none of which is null. `sizes` are the
 * numbers of the statement's inlined rows. Empty for a statement that reads so few rows that it is
 * not worth another planning.
 */
export async function knownValues(
  { inlined, numRows }: SelectStatement,
  sizes: readonly number[],
  engine: Engine,
  options: QueryOptions,
): Promise<readonly KnownValues[]> {
  const few = inlined.filter((_, index) => hasFew(sizes[index] ?? 0));
  const asked = numRows < leastRows ? [] : few.flatMap((rows) => behindIn(rows, inlined));
  if (asked.length === 0) return [];
  const { chunks } = await engine.rows(inlinedTexts(asked), options);
  return asked.flatMap(({ among }, index) => {
    const values: unknown = chunks[0]?.columns[index]?.[0];
    return Array.isArray(values) && hasFew(values.length) && values.every(isText)
      ? [{ among, values }]
      : [];
  });
}

const leastRows = 200_000;
const hasFew = (count: number) => count > 0 && count <= 16;
const isText = (value: unknown) => typeof value === 'string';

// The same place may be translated to several queries, whose values differ.
function behindIn(
  { among, ...rows }: InlinedRows,
  all: readonly InlinedRows[],
): readonly (InlinedRows & Pick<KnownValues, 'among'>)[] {
  const isAlone =
    all.filter(
      (other) => other.among?.line === among?.line && other.among?.column === among?.column,
    ).length === 1;
  return among && isAlone ? [{ ...rows, among }] : [];
}
