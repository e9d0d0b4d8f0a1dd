import { shownBytes } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { datasourceNames } from '../../cli/completers.ts';
import { CommandError } from '../../cli/errors.ts';
import { jsonFormats } from '../../cli/formats.ts';
import { type DatasourceSummary, datasources } from '../../contract/datasources.ts';
import { required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { rowsServed } from './rows-served.ts';

export const get = command({
  summary: 'Show how large a datasource is, its times and its tiers',
  examples: ['svcctl datasources get wikipedia', 'svcctl datasources get wikipedia --output json'],
  endpoints: [datasources.get, sql.query],
  arguments: { dataSource: required(text, 'The name of the datasource') },
  completers: { dataSource: datasourceNames },
  hints: { notFound: 'svcctl datasources list shows what is served' },
  async run(context, { args: { dataSource } }) {
    const { call, out, settings } = context;
    const [summary, counts] = await Promise.all([call(datasources.get, { params: { dataSource } }), rowsServed(context)]);
    if (!summary) throw new CommandError('notFound', `Datasource [${dataSource}] is not served`);
    if (settings.query !== undefined || jsonFormats.includes(out.format ?? '')) return out.document(summary);
    const { segments, tiers } = summary as DatasourceSummary;
    await out.value({
      name: dataSource,
      segments: segments.count,
      size: shownBytes(segments.size),
      rows: counts.get(dataSource),
      minTime: segments.minTime,
      maxTime: segments.maxTime,
      tiers: Object.entries(tiers)
        .map(([tier, { segmentCount }]) => `${tier} (${segmentCount} ${segmentCount === 1 ? 'segment' : 'segments'})`)
        .join(', '),
    });
  },
});
