import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, listOf, oneOf, optional, required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { status } from '../../contract/status.ts';
import { tasks } from '../../contract/tasks.ts';
import { contextOf, statementOptions } from '../shared/sql/query-options.ts';
import { arrayContextOf, knowsNoArrays, withoutArrays } from './arrays.ts';
import { firstLines, inputFile } from './first-rows.ts';
import { formatOf, guessColumns } from './guess-columns.ts';
import { timeColumnOf } from './guess-time.ts';
import { inputSourceOf } from './input-source.ts';
import { bareWait, runIngestion, waitOptions } from './run-ingestion.ts';
import { statementFor } from './statement.ts';

export const files = command({
  summary: 'Ingest JSON, CSV or TSV files, plain or compressed',
  description:
    'Format, columns and timestamp are detected from the first rows. --print-sql prints the statement, which you can edit and run with svcctl ingest sql.\nThe service reads the files itself where it may (svcctl serve --allow-dir). Otherwise the rows are sent inside the statement, a few megabytes at most.',
  examples: [
    'svcctl ingest files edits.json.gz --into wikipedia --wait=queryable',
    'svcctl ingest files edits.csv --into wikipedia --replace --print-sql',
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
  arguments: { paths: required(listOf(text), 'Files, all of the same format') },
  options: {
    into: required(text, 'Target datasource'),
    replace: optional(flag, 'Replace all data of the datasource; without it, rows are added'),
    partitionedBy: optional(
      oneOf('HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR', 'ALL'),
      'Segment granularity (default DAY)',
    ),
    timeColumn: optional(text, 'Time column'),
    format: optional(oneOf('json', 'csv', 'tsv'), 'Input format (default: guessed)'),
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
    const inputs = await Promise.all(paths.map(inputFile));
    const [first] = inputs;
    if (!first) throw new UsageError('The path of a file is missing');
    const lines = await firstLines(first);
    const guess = guessColumns(
      first.path,
      options.format ?? formatOf(first.path, lines),
      lines,
      options.fields?.split(','),
    );
    const time = timeColumnOf(first.path, guess.columns, options.timeColumn);
    const source = await inputSourceOf(context, inputs, guess.hasHeader, options.source);
    const target = {
      dataSource: options.into,
      isReplaced: options.replace === true,
      partitionedBy: options.partitionedBy ?? 'DAY',
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
