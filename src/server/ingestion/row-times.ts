// The time of a raw row where transforms, filters and filtered metrics read `__time`. DuckDB does
// not read times of rare forms (2015-W37): those are a column of the raw rows then.
import type { Session } from '../engine/session.ts';
import type { DataSchema } from './data-schema.ts';
import { untimedTexts } from './kept-rows.ts';
import { inputsOf } from './metrics.ts';
import { readSlowTimes } from './parse-failures.ts';
import { numberedRows, type RawField, type RawRows } from './raw-rows.ts';
import { timeText } from './timestamps.ts';
import { fieldsOfTransforms } from './transforms.ts';

/** The raw rows, with a column of the times that expressions need and DuckDB does not read. */
export async function withRowTimes(
  session: Session,
  { timestampSpec, transformSpec, metrics }: DataSchema,
  raw: RawRows,
): Promise<RawRows> {
  const time = raw.fields.get(timestampSpec.column);
  const isRead = [...fieldsOfTransforms(transformSpec), ...inputsOf(metrics)].includes('__time');
  if (!time || !isRead) return raw;
  const texts = untimedTexts({ timestampSpec }, raw, time);
  if ((await readSlowTimes(session, timestampSpec.format, texts)) === 0) return raw;
  // Rows that are loaded a second time, for their text, have an earlier table
  await session.run('DROP TABLE IF EXISTS row_times; ALTER TABLE slow_times RENAME TO row_times');
  if (raw.isView) return joined(raw, time);
  await session.run(
    `ALTER TABLE ${raw.table} ADD COLUMN row_time BIGINT; UPDATE ${raw.table} SET row_time = row_times.ms FROM row_times WHERE row_times.text = ${timeText(time)}; DROP TABLE row_times`,
  );
  return { ...raw, rowTime: 'row_time' };
}

// A join may change the order of rows, so they are numbered before.
const joined = (raw: RawRows, time: RawField): RawRows => ({
  ...raw,
  table: `(SELECT raw.* EXCLUDE (n), n AS row_number, row_times.ms AS row_time FROM ${numberedRows(raw)} raw LEFT JOIN row_times ON row_times.text = ${timeText(time)})`,
  rowTime: 'row_time',
  rowNumber: 'row_number',
});
