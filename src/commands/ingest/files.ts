import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, listOf, oneOf, optional, required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { status } from '../../contract/status.ts';
import { tasks } from '../../contract/tasks.ts';
import { bareWait, waitOptions } from '../shared/datasources/wait-for-data.ts';
import { contextOf, statementOptions } from '../shared/sql/query-options.ts';
import { arrayContextOf, knowsNoArrays, withoutArrays } from './arrays.ts';
import { formatOf, guessColumns } from './guess-columns.ts';
import { timeColumnOf } from './guess-time.ts';
import { inputSourceOf } from './input-source.ts';
import { beginningOf } from './input-text.ts';
import { inputsOf } from './inputs.ts';
import { runIngestion } from './run-ingestion.ts';
import { statementFor } from './statement.ts';
import { declaredColumns, delimiterNamed, wantedColumns, withTypes } from './wanted-columns.ts';

export const files = command({
  summary: 'Ingest JSON, CSV, TSV or Parquet from files, folders, URLs or stdin',
  description:
    'Format, delimiter, columns and timestamp are detected from the first rows. A folder stands for its files; gzip and zip archives are unpacked. --print-sql prints the statement, which you can edit and run with svcctl ingest sql.\nThe columns of Parquet are declared with --types; only the service reads Parquet.\nThe service reads the files itself where it may (svcctl serve --allow-dir). Otherwise the rows are sent inside the statement, a few megabytes at most.',
  examples: [
    'svcctl ingest files edits.json.gz --into wikipedia --wait=queryable',
    'svcctl ingest files edits.csv --into wikipedia --replace --print-sql',
    `svcctl ingest files - --into trips --time-column day --time-format dd.MM.yyyy < trips.csv`,
  ],
  endpoints: [
    sql.task,
    tasks.status,
    tasks.reports,
    status.properties,
    metadata.segments,
    datasources.loadStatus,
    sql.query,
  ],
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
      'Format of the time: iso, millis, posix, or a pattern such as dd.MM.yyyy',
    ),
    columns: optional(text, 'Only these columns, separated by commas'),
    types: optional(
      listOf(text),
      'Type of a column as NAME:TYPE: varchar, bigint, double, float or json',
    ),
    where: optional(text, 'Only rows that match a SQL condition'),
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
  async run(context, { args: { paths }, options }) {
    const { timeColumn, timeFormat, encoding } = options;
    const inputs = await inputsOf(paths, context);
    const [first] = inputs;
    const { lines, isPlainUtf8 } = await beginningOf(first, encoding);
    const format = options.format ?? formatOf(first.path, lines);
    const types = options.types ?? [];
    const guess =
      format === 'parquet'
        ? declaredColumns(first.path, format, types)
        : withTypes(
            first.path,
            guessColumns(first.path, format, lines, {
              names: options.fields?.split(','),
              delimiter: delimiterNamed(options.delimiter),
            }),
            types,
          );
    const time = timeColumnOf(first.path, guess.columns, timeColumn, timeFormat);
    const source = await inputSourceOf(context, inputs, guess, {
      source: options.source,
      encoding,
      isPlain: isPlainUtf8 && (format !== 'csv' || guess.delimiter === ','),
    });
    const target = {
      dataSource: options.into,
      isReplaced: options.replace === true,
      partitionedBy: options.partitionedBy ?? 'DAY',
      columns: wantedColumns(first.path, guess, options.columns),
      where: options.where,
    };
    const query = statementFor(target, source, guess, time);
    if (options.printSql)
      return context.out.isForPrograms
        ? context.out.value({ query })
        : context.out.text([`${query}\n`]);
    const said = contextOf(options.context).context;
    try {
      await runIngestion(
        context,
        { query, context: { ...arrayContextOf(guess), ...said } },
        options,
      );
    } catch (error) {
      if (!knowsNoArrays(error)) throw error;
      context.out.note(
        'The service does not read arrays: arrays of texts become multi-value dimensions, arrays of numbers become JSON.',
      );
      await runIngestion(
        context,
        {
          query: statementFor(target, source, withoutArrays(guess), time),
          ...(said && { context: said }),
        },
        options,
      );
    }
  },
});
