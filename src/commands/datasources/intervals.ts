import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { datasources } from '../../contract/datasources.ts';
import { intervalText, optional, text } from '../../contract/schema.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { checkInterval } from '../shared/segments/segment-selection.ts';
import { completers, hints } from './datasource-name.ts';

interface Listed {
  readonly interval: string;
  readonly datasource: string;
  readonly segments: number | undefined;
  readonly size: number | bigint | undefined;
}

const columns = columnsOf<Listed>({
  interval: { value: (row) => row.interval, show: formatIntervalCell },
  datasource: (row) => row.datasource,
  segments: (row) => row.segments,
  size: { value: (row) => row.size, kind: 'bytes' },
});

export const intervals = command({
  summary: 'List the intervals of a datasource with their sizes, newest first',
  examples: [
    'svcctl datasources intervals wikipedia',
    'svcctl datasources intervals --interval 2016-06-01/2016-07-01',
  ],
  endpoints: [datasources.intervals, datasources.interval, cluster.intervals, cluster.interval],
  arguments: { dataSource: optional(text, 'Name of the datasource (default: all)') },
  options: { interval: optional(intervalText, 'Only data inside this ISO interval') },
  completers,
  hints,
  columns,
  async run(context, { args: { dataSource }, options }) {
    const interval =
      options.interval === undefined
        ? undefined
        : checkInterval(options.interval).replace('/', '_');
    await context.out.rows(
      dataSource === undefined
        ? await ofAll(context, interval)
        : await ofOne(context, dataSource, interval),
      columns,
    );
  },
});

async function ofAll({ call }: Context, interval: string | undefined): Promise<Listed[]> {
  const found =
    interval === undefined
      ? await call(cluster.intervals)
      : await call(cluster.interval, { params: { interval }, query: { full: true } });
  return Object.entries(found).flatMap(([interval, datasources]) =>
    Object.entries(datasources as Record<string, Sized>).map(([datasource, sized]) =>
      toListRow(interval, datasource, sized),
    ),
  );
}

async function ofOne(
  { call }: Context,
  dataSource: string,
  interval: string | undefined,
): Promise<Listed[]> {
  const query = { simple: true };
  const found =
    interval === undefined
      ? await call(datasources.intervals, { params: { dataSource }, query })
      : await call(datasources.interval, { params: { dataSource, interval }, query });
  if (!found) throw new CommandError('notFound', `Datasource [${dataSource}] is not served`);
  return Object.entries(found as Record<string, Sized>).map(([interval, sized]) =>
    toListRow(interval, dataSource, sized),
  );
}

interface Sized {
  readonly size?: number | bigint;
  readonly count?: number;
}

const toListRow = (interval: string, datasource: string, { size, count }: Sized): Listed => ({
  interval,
  datasource,
  segments: count,
  size,
});
