import { type Context, command, optionsFromQuery } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { blocksOf, mapBatches, type Rows } from '../../cli/lists/select.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, intervalText, listOf, optional, text } from '../../contract/schema.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { segmentColumns } from '../shared/segments/columns.ts';
import { checkInterval } from '../shared/segments/segment-selection.ts';

const { includeRealtimeSegments } = optionsFromQuery(metadata.segments);

export const list = command({
  summary: 'List used or unused segments',
  examples: [
    'svcctl segments list --datasource wikipedia',
    'svcctl segments list --include-overshadowed --sort -size --output wide',
    'svcctl segments list --datasource wikipedia --unused',
    'svcctl segments list --datasource wikipedia --overlapping 2016-06-27/2016-06-28',
  ],
  endpoints: [
    metadata.segments,
    metadata.unusedSegments,
    metadata.bootstrapSegments,
    metadata.segmentsIn,
  ],
  options: {
    datasource: optional(listOf(text), 'Only segments of this datasource'),
    unused: optional(flag, 'List unused segments instead; needs --datasource'),
    interval: optional(intervalText, 'With --unused: only segments inside this ISO interval'),
    overlapping: optional(
      listOf(intervalText),
      'Only segments that overlap this ISO interval; needs --datasource',
    ),
    bootstrap: optional(flag, 'Only segments that every server loads at bootstrap'),
    includeOvershadowed: optional(flag, 'Also overshadowed segments'),
    includeRealtimeSegments,
  },
  completers: { datasource: datasourceNames },
  columns: segmentColumns,
  async run(
    context,
    {
      options: {
        datasource,
        unused,
        interval,
        overlapping,
        bootstrap,
        includeOvershadowed,
        ...query
      },
    },
  ) {
    const { list, out } = context;
    if (interval !== undefined && !unused)
      throw new UsageError(
        '--interval needs --unused',
        `--where 'interval ~ "^2024"' filters any list`,
      );
    if (unused) return out.rows(listUnused(context, datasource ?? [], interval), segmentColumns);
    if (overlapping)
      return out.rows(await overlappingOf(context, datasource ?? [], overlapping), segmentColumns);
    if (bootstrap) return out.rows(await list(metadata.bootstrapSegments), segmentColumns);
    const found = await list(metadata.segments, {
      query: {
        ...query,
        includeOvershadowedStatus: true,
        ...(datasource && { datasources: datasource }),
      },
    });
    const withoutOvershadowed = (batch: readonly DataSegment[]) =>
      batch.filter(({ overshadowed }) => overshadowed !== true);
    await out.rows(
      includeOvershadowed ? found : mapBatches(found, withoutOvershadowed),
      segmentColumns,
    );
  },
});

async function overlappingOf(
  { call }: Context,
  dataSources: readonly string[],
  intervals: readonly string[],
): Promise<DataSegment[]> {
  if (dataSources.length === 0)
    throw new UsageError(
      '--overlapping needs --datasource',
      'svcctl datasources list shows their names',
    );
  const found: (DataSegment | string)[] = [];
  for (const dataSource of dataSources)
    found.push(
      ...(await call(metadata.segmentsIn, {
        params: { dataSource },
        query: { full: true },
        body: intervals.map(checkInterval),
      })),
    );
  return found.filter((segment) => typeof segment !== 'string');
}

function listUnused(
  { list }: Context,
  dataSources: readonly string[],
  interval: string | undefined,
): Rows<DataSegment> {
  if (dataSources.length === 0)
    throw new UsageError(
      '--unused needs --datasource',
      'svcctl datasources list --unused shows their names',
    );
  const query = interval === undefined ? {} : { interval: checkInterval(interval) };
  return (async function* () {
    for (const dataSource of dataSources) {
      const found = await list(metadata.unusedSegments, { params: { dataSource }, query });
      yield* blocksOf(mapBatches(found, (batch) => batch.map(({ dataSegment }) => dataSegment)));
    }
  })();
}
