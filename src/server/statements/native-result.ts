// Result rows of statements that run as tasks, as native values: times and dates are milliseconds
// since 1970, booleans are 1 and 0, in every format.
import type { OutputColumn } from '../../sql/statement.ts';
import { bigint } from '../../sql/types.ts';
import { createResultWriter, type ResultOptions, type ResultWriter } from './result-writer.ts';

/** Writes rows of these columns without a header; `options` as for queries. */
export const createNativeWriter = (
  columns: readonly OutputColumn[],
  options: Pick<ResultOptions, 'format' | 'stringifyArrays' | 'timeZone'>,
): ResultWriter =>
  createResultWriter(columns.map(asNative), {
    ...options,
    header: false,
    typesHeader: false,
    sqlTypesHeader: false,
  });

const asNative = (column: OutputColumn): OutputColumn =>
  ['TIMESTAMP', 'DATE', 'BOOLEAN'].includes(column.type.name)
    ? { ...column, type: bigint }
    : column;
