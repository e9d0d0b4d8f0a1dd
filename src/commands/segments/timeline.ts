import { type Context, command } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { metadata } from '../../contract/metadata.ts';
import { optional, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { addUnused, type TimelineRow, withVersion } from './timeline-rows.ts';

const columns = columnsOf<TimelineRow>({
  datasource: (row) => row.datasource,
  interval: { value: (row) => row.interval, show: formatIntervalCell },
  segments: (row) => row.segments,
  size: { value: (row) => row.size, kind: 'bytes' },
  rows: (row) => row.rows,
  versions: (row) => row.versions,
  compacted: (row) => row.compacted,
  notLoaded: (row) => row.notLoaded,
  overshadowed: (row) => row.overshadowed,
  unused: (row) => row.unused,
  realtime: { value: (row) => row.realtime, wide: true },
  compactedSize: { value: (row) => row.compactedSize, kind: 'bytes', wide: true },
  overshadowedSize: { value: (row) => row.overshadowedSize, kind: 'bytes', wide: true },
  unusedSize: { value: (row) => row.unusedSize, kind: 'bytes', wide: true },
});

export const timeline = command({
  summary: 'Show segments over time: size, rows, versions and states',
  description:
    'On a terminal it draws: a line of time for each datasource, or for one datasource a bar for each interval (or day, month, year, where there are many). Elsewhere, and with -o, it lists one row per datasource and interval. Unused segments are counted where a datasource is named.',
  examples: ['svcctl segments timeline', 'svcctl segments timeline wikipedia --output json'],
  endpoints: [sql.query, metadata.unusedSegments],
  arguments: { dataSource: optional(text, 'Only this datasource') },
  completers: { dataSource: datasourceNames },
  columns,
  async run(context, { args: { dataSource } }) {
    const { io, out, resolved } = context;
    const used = await usedRows(context, dataSource);
    const rows =
      dataSource === undefined
        ? used
        : addUnused(used, dataSource, await unusedOf(context, dataSource));
    if (dataSource !== undefined && rows.length === 0) await checkKnown(context, dataSource);
    const isDrawn =
      io.stdout.isTTY && (out.format === undefined || out.format === 'table') && !out.looksAtValues;
    if (!isDrawn) return out.rows(rows, columns);
    if (rows.length === 0) return out.note('There are no segments.');
    const [{ chartLookOn }, { drawDatasource, drawDatasources }] = await Promise.all([
      import('../../cli/chart/paint.ts'),
      import('./timeline-picture.ts'),
    ]);
    const look = await chartLookOn(io.stdout, resolved, io.env);
    const most = Math.max(12, (io.stdout.rows ?? 24) - 5);
    const lines =
      dataSource === undefined ? drawDatasources(rows, look) : drawDatasource(rows, look, most);
    await out.text([`${lines.join('\n')}\n`]);
  },
});

// The real engine cannot count distinct versions in system tables: there is a row for each version.
// A segment whose rules ask for no replicas is not expected on any server.
const query = (where: string) => `SELECT datasource, "start", "end",
  SUM(CASE WHEN is_overshadowed = 0 THEN 1 ELSE 0 END),
  SUM(CASE WHEN is_overshadowed = 0 THEN "size" ELSE 0 END),
  SUM(CASE WHEN is_overshadowed = 0 THEN num_rows ELSE 0 END),
  SUM(CASE WHEN is_overshadowed = 0 AND last_compaction_state IS NOT NULL THEN 1 ELSE 0 END),
  SUM(CASE WHEN is_published = 1 AND is_overshadowed = 0 AND is_available = 0 AND replication_factor <> 0 THEN 1 ELSE 0 END),
  SUM(is_overshadowed),
  SUM(is_realtime),
  SUM(CASE WHEN is_overshadowed = 0 AND last_compaction_state IS NOT NULL THEN "size" ELSE 0 END),
  SUM(CASE WHEN is_overshadowed = 1 THEN "size" ELSE 0 END)
FROM sys.segments${where} GROUP BY datasource, "start", "end", version`;

async function usedRows(
  { call }: Pick<Context, 'call'>,
  dataSource: string | undefined,
): Promise<TimelineRow[]> {
  const named = dataSource !== undefined;
  const body = {
    query: query(named ? ' WHERE datasource = ?' : ''),
    resultFormat: 'arrayLines',
    ...(named && { parameters: [{ type: 'VARCHAR', value: dataSource }] }),
  } as const;
  const found = new Map<string, TimelineRow>();
  for await (const batch of rowsOf(await call(sql.query, { body }), 'arrayLines'))
    for (const cells of batch as readonly (readonly unknown[])[]) {
      const row = rowOf(cells);
      const key = `${row.interval} ${row.datasource}`;
      const before = found.get(key);
      found.set(key, before ? withVersion(before, row) : row);
    }
  return [...found.values()].sort(
    (a, b) => compareTexts(a.datasource, b.datasource) || compareTexts(a.interval, b.interval),
  );
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function rowOf([datasource, start, end, ...numbers]: readonly unknown[]): TimelineRow {
  const [
    segments = 0,
    size = 0,
    rows = 0,
    compacted = 0,
    notLoaded = 0,
    overshadowed = 0,
    realtime = 0,
    compactedSize = 0,
    overshadowedSize = 0,
  ] = numbers.map((value) => Number(value ?? 0));
  return {
    datasource: String(datasource),
    interval: `${start}/${end}`,
    segments,
    size,
    rows,
    versions: 1,
    compacted,
    notLoaded,
    overshadowed,
    unused: 0,
    realtime,
    compactedSize,
    overshadowedSize,
    unusedSize: 0,
  };
}

const mostUnused = 100_000;

const unusedOf = async ({ call }: Pick<Context, 'call'>, dataSource: string) =>
  (
    (await ifKnown(
      call(metadata.unusedSegments, { params: { dataSource }, query: { limit: mostUnused } }),
    )) ?? []
  ).map(({ dataSegment }) => dataSegment);
