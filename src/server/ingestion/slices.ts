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
  readonly #written = new Set<Slice>(); // sorted

  /** Divides a bin into slices of about the same size. */
  static async of(
    session: Session,
    columns: readonly SegmentColumn[],
    { from, numSlices, planner }: WholeBin,
    room: Overflow,
  ): Promise<Slices> {
    const count = Math.min(numSlices, mostSlices);
    const shares = Array.from({ length: count - 1 }, (_, index) => (index + 1) / count);
    const [[found] = []] = await session.rows(
      `SELECT approx_quantile(t, [${shares.join(', ')}]) FROM ${from}`,
    );
    const bounds = [...new Set(Array.isArray(found) ? found.map(Number) : [])];
    const slices: Slice[] = [];
    for (const relation of await divided(session, from, bounds, columns.length, room)) {
      const [[n] = []] = await session.rows(`SELECT count(*) FROM ${relation}`);
      if (Number(n) === 0) continue;
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
    const endRow = firstRow + numRows;
    const parts: string[] = [];
    for (const slice of this.#slices) {
      const first = Math.max(firstRow, slice.firstRow) - slice.firstRow;
      const end = Math.min(endRow, slice.firstRow + slice.numRows) - slice.firstRow;
      if (first < end)
        parts.push(
          `SELECT * FROM ${await this.#sorted(slice)} WHERE file_row_number >= ${first} AND file_row_number < ${end}`,
        );
      else if (slice.firstRow < firstRow) await rm(this.#fileOf(slice), { force: true });
    }
    return `(${parts.join(' UNION ALL ')})`;
  }

  // A file, because a table has a block of memory for each column.
  async #sorted(slice: Slice): Promise<string> {
    const file = this.#fileOf(slice);
    if (!this.#written.has(slice))
      await writeSegmentFile(this.#session, await this.#sortedSql(slice), file, {
        compression: 'lz4_raw',
        mostRowsPerGroup: this.#mostRowsPerGroup,
      });
    this.#written.add(slice);
    return parquetRelation([file]);
  }

  #fileOf({ firstRow }: Slice): string {
    return join(this.#folder, `sorted-${firstRow}.parquet`);
  }

  async #sortedSql({ relation, numRows }: Slice): Promise<string> {
    const { columns, order } = await this.#planner.planFor(relation, numRows);
    return `SELECT ${columns} FROM ${relation} ORDER BY ${order}`;
  }
}

// Columns that are too many for a buffer of each slice are read again for each slice.
async function divided(
  session: Session,
  from: string,
  bounds: readonly number[],
  numColumns: number,
  room: Overflow,
): Promise<readonly string[]> {
  const numBins = bounds.length + 1;
  if (binsFor(room, numColumns, numBins) < numBins)
    return [...bounds, undefined].map((end, index) => {
      const start = bounds[index - 1];
      const conditions = [
        ...(start === undefined ? [] : [`t >= ${start}`]),
        ...(end === undefined ? [] : [`t < ${end}`]),
      ];
      return `(SELECT * FROM ${from} WHERE ${conditions.join(' AND ') || 'true'})`;
    });
  const bin = bounds.map((bound) => `(t >= ${bound})::INTEGER`).join(' + ') || '0';
  const query = `SELECT * FROM ${from}`;
  return distribute(session, room, { name: 'slices', query, bin, numBins }, numColumns);
}

const mostSlices = 64;
