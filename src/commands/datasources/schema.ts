import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { broker, type DatasourceColumns } from '../../contract/broker.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, intervalText, optional } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkInterval } from '../shared/segments/segment-selection.ts';
import { completers, dataSource, hints } from './datasource-name.ts';

interface DescribedColumn {
  readonly COLUMN_NAME: string;
  readonly DATA_TYPE: string;
  readonly IS_NULLABLE: string;
}

const columns = columnsOf<DescribedColumn>({
  column: (row) => row.COLUMN_NAME,
  type: (row) => row.DATA_TYPE,
  nullable: { value: (row) => row.IS_NULLABLE, wide: true },
});

const query = `SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS
WHERE TABLE_SCHEMA = 'druid' AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;

export const schema = command({
  summary: 'Show the columns of a datasource and their SQL types',
  examples: [
    'svcctl datasources schema wikipedia',
    'svcctl datasources schema wikipedia --output json',
    'svcctl datasources schema wikipedia --dimensions --interval 2016-06-27/2016-06-28',
  ],
  endpoints: [sql.query, broker.datasource, broker.dimensions, broker.metrics, metadata.schemas],
  arguments: dataSource,
  options: {
    dimensions: optional(flag, "Only the Broker's dimensions"),
    metrics: optional(flag, "Only the Broker's metrics; with --dimensions, both"),
    interval: optional(
      intervalText,
      'With these: ISO interval to look at (default: the last week)',
    ),
    native: optional(flag, "Native types from the Coordinator's schema cache"),
  },
  completers,
  hints,
  columns,
  async run(context, { args, options }) {
    const { call, out } = context;
    const { dimensions, metrics, interval, native } = options;
    if (interval !== undefined && !dimensions && !metrics)
      throw new UsageError(
        '--interval needs --dimensions or --metrics',
        'add --dimensions, or omit --interval',
      );
    if (native) return out.rows(await nativeColumns(context, args.dataSource), nativeTypes);
    if (dimensions || metrics) {
      const found = await columnsByKind(context, args.dataSource, options);
      if (found.length === 0 && interval === undefined)
        out.note('Only the last week was examined; set another time with --interval.');
      return out.rows(found, kinds);
    }
    const parameters = [{ type: 'VARCHAR', value: args.dataSource }];
    const found: DescribedColumn[] = [];
    const reply = await call(sql.query, {
      body: { query, parameters, resultFormat: 'objectLines' },
    });
    for await (const rows of rowsOf(reply, 'objectLines'))
      found.push(...(rows as unknown as DescribedColumn[]));
    if (found.length === 0)
      throw new CommandError('notFound', `Datasource [${args.dataSource}] is not served`);
    await out.rows(found, columns);
  },
});

interface KnownColumn {
  readonly column: string;
  readonly kind: 'dimension' | 'metric';
}

const kinds = columnsOf<KnownColumn>({ column: ({ column }) => column, kind: ({ kind }) => kind });

interface Wanted {
  readonly dimensions?: boolean;
  readonly metrics?: boolean;
  readonly interval?: string;
}

async function columnsByKind(
  { call }: Context,
  dataSource: string,
  { dimensions, metrics, interval }: Wanted,
): Promise<KnownColumn[]> {
  const asked = {
    params: { dataSource },
    query: interval === undefined ? {} : { interval: checkInterval(interval) },
  };
  const found =
    dimensions && metrics
      ? // Without `full`, the reply is the schema for all time
        ((await call(broker.datasource, asked)) as DatasourceColumns)
      : dimensions
        ? { dimensions: await call(broker.dimensions, asked), metrics: [] }
        : { dimensions: [], metrics: await call(broker.metrics, asked) };
  return [
    ...found.dimensions.map((column) => ({ column, kind: 'dimension' as const })),
    ...found.metrics.map((column) => ({ column, kind: 'metric' as const })),
  ];
}

interface NativeColumn {
  readonly name: string;
  readonly type: string | null;
}

const nativeTypes = columnsOf<NativeColumn>({
  column: ({ name }) => name,
  type: ({ type }) => type,
});

async function nativeColumns(
  { call }: Context,
  dataSource: string,
): Promise<readonly NativeColumn[]> {
  const unknown = new CommandError(
    'notFound',
    `The Coordinator has no native types of [${dataSource}]: some versions never collect them`,
    `${commandLine`svcctl datasources schema ${dataSource}`} shows the SQL types`,
  );
  try {
    const [found] = await call(metadata.schemas, { body: [dataSource] });
    if (!found) throw unknown;
    return found.rowSignature;
  } catch (error) {
    throw error instanceof ServiceError && error.status === 404 ? unknown : error;
  }
}
