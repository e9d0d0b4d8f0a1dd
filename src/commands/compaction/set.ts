import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { compaction } from '../../contract/compaction.ts';
import { datasources } from '../../contract/datasources.ts';
import { anyObject, fileName, integer, optional, text } from '../../contract/schema.ts';
import { parsePeriod } from '../../model/period.ts';
import { commandLine } from '../../model/shell-text.ts';
import { datasourceInWords } from '../shared/segments/share-of-cluster.ts';
import { anyDatasource, dataSource, overlord } from './datasource.ts';

export const set = command({
  summary: 'Create or change the automatic compaction of a datasource',
  description:
    'Flags override the file. Defaults: the newest day is left alone, and segments get up to 5 million rows.',
  examples: [
    'svcctl compaction set wikipedia --segment-granularity DAY --skip-offset P1D',
    'svcctl compaction set wikipedia --file compaction.json --comment "larger segments"',
  ],
  endpoints: [compaction.set, compaction.setSupervised, datasources.list],
  arguments: dataSource,
  completers: anyDatasource,
  shorts: { file: 'f' },
  writes: 'change',
  options: {
    ...optionsFromHeaders(compaction.set),
    ...overlord,
    file: optional(fileName, 'Configuration as JSON; - reads stdin'),
    skipOffset: optional(text, 'ISO period before the newest data that is not compacted'),
    segmentGranularity: optional(text, 'Segment granularity, such as HOUR, DAY or MONTH'),
    maxRows: optional(integer, 'Maximum number of rows per segment'),
    priority: optional(integer, 'Priority of the compaction tasks'),
  },
  async run({ call, out, io, dryRun }, { args, options }) {
    const {
      file,
      skipOffset,
      segmentGranularity,
      maxRows,
      priority,
      overlord: ofOverlord,
      ...headers
    } = options;
    const given: Readonly<Record<string, unknown>> =
      file === undefined ? {} : await readJson(anyObject, file, io);
    if (skipOffset !== undefined) checkPeriod(skipOffset);
    const body = {
      ...given,
      ...args,
      ...(skipOffset !== undefined && { skipOffsetFromLatest: skipOffset }),
      ...(priority !== undefined && { taskPriority: priority }),
      ...(segmentGranularity !== undefined && {
        granularitySpec: { ...objectIn(given.granularitySpec), segmentGranularity },
      }),
      ...(maxRows !== undefined && {
        tuningConfig: {
          ...objectIn(given.tuningConfig),
          partitionsSpec: { type: 'dynamic', maxRowsPerSegment: maxRows },
        },
      }),
    };
    if (dryRun) {
      const amount = await datasourceInWords({ call }, args.dataSource);
      if (amount !== undefined) out.note(`Compaction would look at ${amount}.`);
    }
    if (ofOverlord) await call(compaction.setSupervised, { params: args, body, headers });
    else await call(compaction.set, { body, headers });
    if (!dryRun)
      out.changed(
        args.dataSource,
        `Datasource [${args.dataSource}] is compacted automatically.`,
        commandLine`svcctl compaction status ${args.dataSource}`,
      );
  },
});

function checkPeriod(text: string): void {
  try {
    parsePeriod(text);
  } catch {
    throw new UsageError(
      `Invalid value for --skip-offset: [${text}] is not an ISO period`,
      'an example: --skip-offset P1D',
    );
  }
}

const objectIn = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};
