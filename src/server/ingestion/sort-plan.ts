// Plans for sorting many rows in little memory. Texts of few values become numbers of an
// enumeration, and the sort key has no more columns than tell the rows apart.
import type { SegmentColumn } from '../../model/segment.ts';
import type { Session } from '../engine/session.ts';

export interface SortPlan {
  readonly columns: string; // SQL of the columns `t`, `c0`, `c1`, ... for a list of SELECT
  readonly order: string; // SQL of the sort key for ORDER BY
}

export interface SortKey {
  readonly sql: string;
  readonly wide?: string; // the column, if its values have no fixed width
}

interface Sample {
  readonly textsOfFewValues: readonly string[]; // columns
  readonly numKeys: number; // leading keys that tell the rows of the sample apart
}

/** Plans the sorting of relations with the same columns and keys. The first one is sampled. */
export class SortPlanner {
  readonly #session: Session;
  readonly #columns: readonly SegmentColumn[];
  readonly #keys: readonly SortKey[];
  readonly #rowBytes: number;
  #sample: Sample | undefined;

  /**
   * `columns` has __time first; `keys` may use its columns `t`, `c0`, `c1`, ... `rowBytes` is the
   * expected size of a row in memory.
   */
  constructor(
    session: Session,
    columns: readonly SegmentColumn[],
    keys: readonly SortKey[],
    rowBytes: number,
  ) {
    this.#session = session;
    this.#columns = columns;
    this.#keys = keys;
    this.#rowBytes = rowBytes;
  }

  /**
   * Plans the sorting of a relation, or of some of its rows. The plan refers to types of the
   * session that the next plan replaces.
   */
  async planFor(relation: string, numRows: number): Promise<SortPlan> {
    const names = this.#columns.map((_, index) => columnAt(index));
    const isSmall = numRows < 2 * sampleSize && numRows * this.#rowBytes < fewBytes;
    if (isSmall) return { columns: names.join(', '), order: listOf(this.#keys) };
    this.#sample ??= await this.#sampleOf(relation);
    const enumerated = new Set<string>();
    for (const text of this.#sample.textsOfFewValues)
      if (await enumerate(this.#session, relation, text)) enumerated.add(text);
    const columns = names.map((name) =>
      enumerated.has(name) ? `${name}::${typeOf(name)} AS ${name}` : name,
    );
    const keys = await this.#shortestKeys(relation, this.#sample.numKeys, enumerated);
    return { columns: columns.join(', '), order: listOf(keys) };
  }

  async #sampleOf(relation: string): Promise<Sample> {
    const texts = this.#columns.flatMap(({ type, multiValue }, index) =>
      type === 'STRING' && !multiValue ? [columnAt(index)] : [],
    );
    const leading = this.#keys.slice(0, mostKeys).map((_, index) => this.#keys.slice(0, index + 1));
    const [[numRows, ...counts] = []] = await this.#session.rows(
      `SELECT ${[
        'count(*)',
        ...texts.map(
          (text) =>
            `CASE WHEN avg(strlen(${text})) < ${longText} THEN approx_count_distinct(${text}) END`,
        ),
        ...leading.map((keys) => distinctCount(keys)),
      ].join(', ')} FROM (SELECT * FROM ${relation} LIMIT ${sampleSize})`,
    );
    const unique = counts.slice(texts.length).indexOf(numRows ?? null);
    return {
      textsOfFewValues: texts
        .filter((_, index) => isFew(Number(counts[index])))
        .slice(0, mostEnumerated),
      numKeys: unique === -1 ? this.#keys.length : unique + 1,
    };
  }

  // Rows with different hashes of their leading keys need no other keys. A few keys of fixed width
  // beyond those that the sample needs cost next to nothing.
  async #shortestKeys(
    relation: string,
    numKeys: number,
    enumerated: ReadonlySet<string>,
  ): Promise<readonly SortKey[]> {
    const keys = this.#keys;
    const firstWide = keys.findIndex(
      ({ wide }, index) => index >= numKeys && wide !== undefined && !enumerated.has(wide),
    );
    const count = Math.max(
      numKeys,
      Math.min(firstWide === -1 ? keys.length : firstWide, mostNarrowKeys),
    );
    const shortest = keys.slice(0, count);
    if (count >= keys.length) return keys;
    const [[isUnique] = []] = await this.#session.rows(
      `SELECT count(*) = ${distinctCount(shortest)} FROM ${relation}`,
    );
    return isUnique ? shortest : keys;
  }
}

const columnAt = (index: number) => (index === 0 ? 't' : `c${index - 1}`);

const sampleSize = 61_440; // rows
const fewBytes = 4 * 1024 ** 2;
const mostKeys = 8; // a longer key is hardly ever faster than all keys
const mostNarrowKeys = 5;

const listOf = (keys: readonly SortKey[]) => keys.map(({ sql }) => sql).join(', ');

const distinctCount = (keys: readonly SortKey[]) => `count(DISTINCT hash(${listOf(keys)}))`;

const longText = 64; // bytes

// Of a column without values, there is nothing to enumerate.
const isFew = (count: number) => count > 0 && count <= fewValues;
const fewValues = 1000; // in the sample

const mostEnumerated = 100; // columns: each is a statement of its own

const typeOf = (column: string) => `texts_of_${column}`;

// The order of an enumeration is that of its texts. Each row group of a file has all of them, and
// DuckDB keeps them in memory: long texts stay as they are.
async function enumerate(session: Session, relation: string, column: string): Promise<boolean> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE found_texts AS SELECT DISTINCT CASE WHEN strlen(${column}) <= ${mostBytes} THEN ${column} END AS text FROM ${relation} WHERE ${column} IS NOT NULL LIMIT ${mostValues + 1}`,
  );
  const [[count, numShort] = []] = await session.rows(
    'SELECT count(*), count(text) FROM found_texts',
  );
  const isEnumerable = Number(count) <= mostValues && count === numShort;
  if (isEnumerable)
    await session.run(
      `CREATE OR REPLACE TEMP TYPE ${typeOf(column)} AS ENUM (SELECT text FROM found_texts ORDER BY text)`,
    );
  await session.run('DROP TABLE found_texts');
  return isEnumerable;
}

const mostValues = 4096;
const mostBytes = 256; // of a text
