import { columnsOf } from '../../cli/lists/columns.ts';
import type { DatasourceSummary } from '../../contract/datasources.ts';
import { formatTimeCell } from '../shared/datasources/shown-times.ts';

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
  minTime: { value: (row) => timeOf(row, 'minTime'), kind: 'time', show: formatTimeCell },
  maxTime: { value: (row) => timeOf(row, 'maxTime'), kind: 'time', show: formatTimeCell },
});

// Data without times, PARTITIONED BY ALL, has the whole of time as its interval.
function timeOf({ properties }: Listed, end: 'minTime' | 'maxTime') {
  const time = properties.segments?.[end];
  return time && !/^\d{4}-/.test(time) ? undefined : time;
}
