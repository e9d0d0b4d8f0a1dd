import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, integer, listOf, oneOf, optional, required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { status } from '../../contract/status.ts';
import { tasks } from '../../contract/tasks.ts';
import { bareWait, waitOptions } from '../shared/datasources/wait-for-data.ts';
import { statementOptions } from '../shared/sql/query-options.ts';
import { ingestionHints } from './run-ingestion.ts';

export const files = command({
  summary: 'Ingest JSON, CSV, TSV or Parquet from files, folders, URLs or stdin',
  description:
    'Format, delimiter, columns and timestamp are detected from the first rows, or from the schema of a Parquet file. JSON has an object on each line, or is one list of objects, which svcctl sends itself. A folder stands for its files; gzip, zstd and zip files are unpacked (zstd needs Node 22.15). --print-sql prints the statement, which you can edit and run with svcctl ingest sql.\n\nThe service reads the files itself where it may (svcctl serve --allow-dir); only the service reads Parquet. Otherwise the rows are sent inside the statement. Rows of more than 4 MiB are sent in several statements, one after the other: queries then see the data grow, and with --replace only the first one replaces. A service without SQL tasks gets native batch tasks instead, which know neither --where nor --replace of existing data.\n\nA broken row has a value that does not fit its column, no valid time, or a line that cannot be parsed. Rows that svcctl sends are checked before anything is sent. When the service reads the files, they are checked only with --max-errors, or when the task has failed.',
  examples: [
    'svcctl ingest files edits.json.gz --into wikipedia --wait=queryable',
    'svcctl ingest files edits.csv --into wikipedia --replace --print-sql',
    'svcctl ingest files edits.csv --into wikipedia --max-errors 100 --wait',
    `svcctl ingest files - --into trips --time-column day --time-format dd.MM.yyyy < trips.csv`,
  ],
  endpoints: [
    sql.task,
    sql.taskEnabled,
    tasks.submit,
    tasks.status,
    tasks.reports,
    status.properties,
    metadata.segments,
    datasources.loadStatus,
    sql.query,
  ],
  hints: ingestionHints,
  arguments: {
    paths: required(
      listOf(text),
      'Files, folders, patterns or URLs, all of one format; - is stdin',
    ),
  },
  options: {
    into: required(text, 'Target datasource'),
    replace: optional(flag, 'Replace all data of the datasource; without it, rows are added'),
    partitionedBy: optional(
      oneOf('HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR', 'ALL'),
      'Segment granularity (default DAY)',
    ),
    timeColumn: optional(text, 'Time column'),
    timeFormat: optional(
      text,
      'Format of the time: iso, posix, millis, micro, nano, or a pattern such as dd.MM.yyyy',
    ),
    columns: optional(text, 'Only these columns, separated by commas'),
    types: optional(
      listOf(text),
      'Type of a column as NAME:TYPE: varchar, bigint, double, float or json',
    ),
    where: optional(text, 'Only rows that match a SQL condition'),
    maxErrors: optional(integer, 'Leave out up to N broken rows and list them (default 0)'),
    delimiter: optional(text, 'Delimiter of CSV: a character, or tab (default: guessed)'),
    encoding: optional(text, 'Character encoding, such as latin1 (default: UTF-8)'),
    format: optional(oneOf('json', 'csv', 'tsv', 'parquet'), 'Input format (default: guessed)'),
    fields: optional(text, 'Column names for CSV and TSV without a header, separated by commas'),
    source: optional(
      oneOf('inline', 'local'),
      'Send the rows in the statement, or let the service read the files',
    ),
    context: statementOptions.context,
    printSql: optional(flag, 'Print the statement and do nothing'),
    ...waitOptions,
  },
  bare: bareWait,
  completers: { into: datasourceNames },
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const { ingestFiles } = await import('./ingest-files.ts');
    await ingestFiles(context, args.paths, options);
  },
});
