// Slices of a bin that is too large for memory: each holds the rows of one range of times, and is
// sorted on its own. In the order of time, the sorted slices are the sorted bin.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SegmentColumn } from '../../model/segment.ts';
import { writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import { binsFor, distribute, type Overflow, parquetRelation, rowsPerGroup } from './overflow.ts';
import type { SortPlanner } from './sort-plan.ts';

interface Slice {
  readonly relation: string;
  readonly firstRow: number; // among the sorted rows of the bin
  readonly numRows: number;
}

interface Stretch {
  readonly firstRow: number;
  readonly numRows: number;
}

/** A bin to slice. */
export interface WholeBin {
  readonly from: string; // relation with `t`, `c0`, `c1`, ...
  readonly numSlices: number;
  readonly planner: SortPlanner; // for keys with the time first
}

export class Slices {
  readonly #session: Session;
  readonly #slices: readonly Slice[];
  readonly #planner: SortPlanner;
  readonly #folder: string;
  readonly #mostRowsPerGroup: number;
  #sorted: Slice | undefined; // in the table `sorted_slice`
  #pieces: string[] = []; // files of the last stretch

  /** Divides a bin into slices of about the same size. */
  static async of(
    session: Session,
    columns: readonly SegmentColumn[],
    { from, numSlices, planner }: WholeBin,
    room: Overflow,
  ): Promise<Slices> {
    const count = binsFor(room, columns.length, numSlices);
    const shares = Array.from({ length: count - 1 }, (_, index) => (index + 1) / count);
    const [[found] = []] = await session.rows(
      `SELECT approx_quantile(t, [${shares.join(', ')}]) FROM ${from}`,
    );
    const bounds = [...new Set(Array.isArray(found) ? found.map(Number) : [])];
    const bin = bounds.map((bound) => `(t >= ${bound})::INTEGER`).join(' + ') || '0';
    const query = `SELECT * FROM ${from}`;
    const wanted = { name: 'slices', query, bin, numBins: bounds.length + 1 };
    const slices: Slice[] = [];
    for (const relation of await distribute(session, room, wanted, columns.length)) {
      const [[n] = []] = await session.rows(`SELECT count(*) FROM ${relation}`);
      const last = slices.at(-1);
      slices.push({
        relation,
        firstRow: last ? last.firstRow + last.numRows : 0,
        numRows: Number(n),
      });
    }
    return new Slices(session, slices, planner, room.folder, rowsPerGroup(columns.length, room));
  }

  private constructor(
    session: Session,
    slices: readonly Slice[],
    planner: SortPlanner,
    folder: string,
    mostRowsPerGroup: number,
  ) {
    this.#mostRowsPerGroup = mostRowsPerGroup;
    this.#session = session;
    this.#slices = slices;
    this.#planner = planner;
    this.#folder = folder;
  }

  /** A relation with a stretch of the sorted bin. It is valid until the next one is requested. */
  async stretch({ firstRow, numRows }: Stretch): Promise<string> {
    const session = this.#session;
    for (const file of this.#pieces) await rm(file, { force: true });
    this.#pieces = [];
    const endRow = firstRow + numRows;
    for (const slice of this.#slices) {
      const first = Math.max(firstRow, slice.firstRow) - slice.firstRow;
      const end = Math.min(endRow, slice.firstRow + slice.numRows) - slice.firstRow;
      if (first >= end) continue;
      const file = join(this.#folder, `piece-${this.#pieces.length}.parquet`);
      this.#pieces.push(file);
      if (end - first < slice.numRows && this.#sorted !== slice) {
        await session.run(
          `DROP TABLE IF EXISTS sorted_slice; CREATE TEMP TABLE sorted_slice AS ${await this.#sortedSql(slice)}`,
        );
        this.#sorted = slice;
      }
      const query =
        this.#sorted === slice
          ? `SELECT * FROM sorted_slice WHERE rowid >= ${first} AND rowid < ${end}`
          : await this.#sortedSql(slice);
      await writeSegmentFile(session, query, file, {
        compression: 'lz4_raw',
        mostRowsPerGroup: this.#mostRowsPerGroup,
      });
      if (this.#sorted === slice && end === slice.numRows) {
        await session.run('DROP TABLE sorted_slice');
        this.#sorted = undefined;
      }
    }
    return parquetRelation(this.#pieces);
  }

  async #sortedSql({ relation, numRows }: Slice): Promise<string> {
    const { columns, order } = await this.#planner.planFor(relation, numRows);
    return `SELECT ${columns} FROM ${relation} ORDER BY ${order}`;
  }
}
