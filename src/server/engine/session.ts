// DuckDB connection in use: runs statements in sequence, streams results by columns, and stops on a
// signal.
import type { EncodedTexts } from './encoded-texts.ts';
import type { EngineValue } from './values.ts';

/** Up to 2,048 rows, column by column. */
export interface Chunk {
  readonly rowCount: number;
  readonly columns: readonly (readonly EngineValue[])[];
  // Of columns that were asked for as bytes, which then have no values in `columns`
  readonly texts?: readonly (EncodedTexts | undefined)[];
}

export interface DuckColumn {
  readonly name: string;
  readonly type: string; // as DuckDB's SQL spells it
}

/** A result while its rows are computed. The chunks can be read once, before the next statement. */
export interface StreamedResult {
  readonly columns: readonly DuckColumn[];
  readonly chunks: AsyncIterable<Chunk>;
}

/** Waits for work outside DuckDB. */
export type Aside = <Answer>(wait: () => Promise<Answer>) => Promise<Answer>;

/** Statements on one connection: temporary tables and views live as long as it does. */
export interface Session {
  /** Waits for something else, such as a lock, without occupying a place. */
  readonly aside: Aside;
  /**
   * Runs statements separated by `;`; returns the number of rows that the last one changed or
   * wrote.
   */
  run(sql: string): Promise<number>;
  /**
   * Runs a query and waits for its first rows. Texts of the `encoded` columns, by index, may come
   * as bytes.
   */
  query(sql: string, encoded?: readonly number[]): Promise<StreamedResult>;
  /** All rows of a small result as arrays. */
  rows(sql: string): Promise<EngineValue[][]>;
}

/** Reads a whole small result as arrays. */
export async function rowsIn({ chunks }: StreamedResult): Promise<EngineValue[][]> {
  const rows: EngineValue[][] = [];
  for await (const { rowCount, columns } of chunks) {
    for (let row = 0; row < rowCount; row++)
      rows.push(columns.map((column) => column[row] ?? null));
  }
  return rows;
}
