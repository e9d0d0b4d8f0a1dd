import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { compaction } from '../../contract/compaction.ts';
import { fileName, optional } from '../../contract/schema.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { overlord } from './datasource.ts';

interface Simulated {
  readonly state: string;
  readonly dataSource?: string;
  readonly interval?: string;
  readonly numSegments?: number;
  readonly bytes?: number;
  readonly reasonToCompactOrSkip?: string;
}

const columns = columnsOf<Simulated>({
  datasource: ({ dataSource }) => dataSource,
  interval: { value: ({ interval }) => interval, show: formatIntervalCell },
  state: { value: ({ state }) => state, kind: 'state' },
  segments: ({ numSegments }) => numSegments,
  size: { value: ({ bytes }) => bytes, kind: 'bytes' },
  reason: ({ reasonToCompactOrSkip }) => reasonToCompactOrSkip,
});

export const simulate = command({
  summary: 'Simulate a compaction run and explain skipped intervals',
  examples: [
    'svcctl compaction simulate',
    `echo '{"maxCompactionTaskSlots": 1}' | svcctl compaction simulate --file -`,
  ],
  endpoints: [compaction.simulate, compaction.simulateSupervised],
  options: {
    file: optional(fileName, 'Cluster settings to simulate, as JSON; - reads stdin'),
    ...overlord,
  },
  columns,
  async run({ call, out, io }, { options: { file, overlord: ofOverlord } }) {
    const body = file === undefined ? null : await readJson(compaction.simulate.body, file, io);
    const { compactionStates } = await call(
      ofOverlord ? compaction.simulateSupervised : compaction.simulate,
      { body },
    );
    await out.rows(Object.entries(compactionStates).flatMap(rowsOf), columns);
  },
});

// A table consists of column names and rows of values.
function rowsOf([state, table]: [string, unknown]): Simulated[] {
  const { columnNames = [], rows = [] } = table as { columnNames?: string[]; rows?: unknown[][] };
  return rows.map((row) => ({
    state,
    ...Object.fromEntries(columnNames.map((name, at) => [name, row[at]])),
  }));
}
