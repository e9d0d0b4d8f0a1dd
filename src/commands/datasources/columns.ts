import { columnsOf } from '../../cli/columns.ts';
import type { DatasourceSummary } from '../../contract/datasources.ts';

export interface Listed {
  readonly name: string;
  readonly properties: Partial<DatasourceSummary>;
  readonly rows: number | bigint | undefined;
}

export const datasourceColumns = columnsOf<Listed>({
  name: (row) => row.name,
  segments: (row) => row.properties.segments?.count,
  size: { value: (row) => row.properties.segments?.size, kind: 'bytes' },
  rows: (row) => row.rows,
  minTime: { value: (row) => row.properties.segments?.minTime, show: day },
  maxTime: { value: (row) => row.properties.segments?.maxTime, show: day },
});

// Segments begin and end with a day or an hour: the rest of the time is only noise.
function day(time: unknown): string {
  return typeof time === 'string' ? time.replace(/(?:T00:00|(T\d\d:\d\d)):00\.000Z$/, '$1') : '-';
}
