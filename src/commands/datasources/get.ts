import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { jsonFormats } from '../../cli/output/formats.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { type DatasourceSummary, datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, optional, required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { rowsServed } from './rows-served.ts';

export const get = command({
  summary: 'Show size, intervals and tiers of a datasource',
  examples: ['svcctl datasources get wikipedia', 'svcctl datasources get wikipedia --output json'],
  endpoints: [datasources.get, sql.query, metadata.datasource],
  arguments: { dataSource: required(text, 'Name of the datasource') },
  options: {
    metadata: optional(
      flag,
      "Show the metadata store's view instead, with all used segments, loaded or not",
    ),
  },
  completers: { dataSource: datasourceNames },
  hints: { notFound: 'svcctl datasources list shows the served datasources' },
  async run(context, { args: { dataSource }, options }) {
    const { call, out, settings } = context;
    if (options.metadata)
      return out.document(await call(metadata.datasource, { params: { dataSource } }));
    const [summary, counts] = await Promise.all([
      call(datasources.get, { params: { dataSource } }),
      rowsServed(context),
    ]);
    if (!summary) throw new CommandError('notFound', `Datasource [${dataSource}] is not served`);
    if (settings.query !== undefined || jsonFormats.includes(out.format ?? ''))
      return out.document(summary);
    const { segments, tiers } = summary as DatasourceSummary;
    await out.value({
      name: dataSource,
      segments: segments.count,
      size: segments.size,
      rows: counts.get(dataSource),
      minTime: segments.minTime,
      maxTime: segments.maxTime,
      tiers: Object.entries(tiers)
        .map(
          ([tier, { segmentCount }]) =>
            `${tier} (${segmentCount} ${segmentCount === 1 ? 'segment' : 'segments'})`,
        )
        .join(', '),
    });
  },
});
