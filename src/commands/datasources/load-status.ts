import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { cluster } from '../../contract/cluster.ts';
import { datasources } from '../../contract/datasources.ts';
import { intervalText, optional, text } from '../../contract/schema.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { checkInterval } from '../shared/segments/segment-selection.ts';
import { completers, hints } from './datasource-name.ts';

interface Loaded {
  readonly datasource: string;
  readonly loaded: number;
  readonly left: number;
}

const columns = columnsOf<Loaded>({
  datasource: (row) => row.datasource,
  loaded: { value: (row) => row.loaded, show: (percent) => `${percent} %` },
  left: (row) => row.left,
});

export const loadStatus = command({
  summary: 'Show the load status of datasources',
  examples: ['svcctl datasources load-status', "svcctl datasources load-status --where 'left > 0'"],
  endpoints: [cluster.loadStatus, datasources.loadStatus],
  arguments: { dataSource: optional(text, 'Name of the datasource (default: all)') },
  options: {
    interval: optional(intervalText, 'With a datasource: only this ISO interval (default: all)'),
  },
  completers,
  hints,
  columns,
  async run(context, { args: { dataSource }, options: { interval } }) {
    const [shares, counts] =
      dataSource === undefined
        ? await ofAll(context)
        : await ofOne(context, dataSource, interval ?? everything);
    const rows = Object.entries(shares ?? {}).map(([datasource, loaded]) => ({
      datasource,
      loaded: Number(loaded),
      left: Number(counts?.[datasource] ?? 0),
    }));
    if (dataSource !== undefined && rows.length === 0) {
      await checkKnown(context, dataSource);
      context.out.note(`Datasource [${dataSource}] has no used segments there.`);
    }
    await context.out.rows(rows, columns);
  },
});

const everything = '0000-01-01/9999-01-01';

const ofAll = ({ call }: Context) =>
  Promise.all([call(cluster.loadStatus), call(cluster.loadStatus, { query: { simple: true } })]);

function ofOne({ call }: Context, dataSource: string, interval: string) {
  const ask = (simple: boolean) =>
    call(datasources.loadStatus, {
      params: { dataSource },
      query: {
        forceMetadataRefresh: false,
        interval: checkInterval(interval),
        ...(simple && { simple }),
      },
    });
  return Promise.all([ask(false), ask(true)]);
}
