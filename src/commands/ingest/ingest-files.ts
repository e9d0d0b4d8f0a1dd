// Steps of `ingest files`: find the columns, check the rows, and let the service read the files or
// send their rows.
import type { Context } from '../../cli/command/command.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { metadata } from '../../contract/metadata.ts';
import { type SqlRequest, sql } from '../../contract/sql.ts';
import { tasks } from '../../contract/tasks.ts';
import { isQuoteOpen } from '../../model/delimited.ts';
import { waitForData } from '../shared/datasources/wait-for-data.ts';
import { contextOf } from '../shared/sql/query-options.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';
import { arrayContextOf, knowsNoArrays, withoutArrays } from './arrays.ts';
import { leftOut, refuseBroken, withRow } from './broken-rows.ts';
import { rowChecker } from './check-rows.ts';
import {
  formatNamed,
  formatOf,
  type Guess,
  type GuessedFormat,
  guessColumns,
} from './guess-columns.ts';
import { type TimeColumn, timeColumnOf } from './guess-time.ts';
import { accessTo } from './input-source.ts';
import { type Beginning, beginningOf, notUtf8 } from './input-text.ts';
import { type Input, inputsOf } from './inputs.ts';
import { withItemsAsLines } from './json-lists.ts';
import { lacksSqlTasks, nativeTaskFor } from './native-task.ts';
import { parquetColumns } from './parquet-columns.ts';
import { mostPartBytes, partsOf, type RowReading, type Scan, scanRows } from './parts.ts';
import { sendParts, submitStatement } from './send-parts.ts';
import { type ExternSource, statementFor, type Target } from './statement.ts';
import { delimiterNamed, wantedColumns, withTypes } from './wanted-columns.ts';

interface FileOptions {
  readonly into: string;
  readonly replace?: boolean;
  readonly partitionedBy?: string;
  readonly timeColumn?: string;
  readonly timeFormat?: string;
  readonly columns?: string;
  readonly types?: readonly string[];
  readonly where?: string;
  readonly maxErrors?: number;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly format?: GuessedFormat;
  readonly fields?: string;
  readonly source?: 'inline' | 'local';
  readonly context?: Parameters<typeof contextOf>[0];
  readonly printSql?: boolean;
  readonly wait?: 'ended' | 'queryable';
  readonly maxWait?: number;
}

/** Ingests files. Throws UsageError before anything is sent, and the failure of a task. */
export async function ingestFiles(
  context: Context,
  paths: readonly string[],
  options: FileOptions,
): Promise<void> {
  const inputs = await withItemsAsLines(await inputsOf(paths, context));
  const shape = await shapeOf(inputs, options);
  const { column, guessedPattern } = shape.time;
  if (guessedPattern !== undefined)
    context.out.note(
      `Column [${column.name}] is read as times of format [${guessedPattern}]; --time-format gives another.`,
    );
  let reading = readingOf(inputs, shape, options);
  const { source: readable, folder } = await accessTo(context, inputs, shape.guess, {
    source: options.source,
    isPlain: shape.isPlain,
  });
  let scan = await scanIfNeeded(context, reading, options, readable !== undefined);
  const isSent = readable === undefined || (scan?.brokenCount ?? 0) > 0;
  let sent = shape;
  if (isSent && scan?.hasBreaks) {
    reading = { ...reading, asJson: true };
    sent = { ...shape, guess: { ...shape.guess, format: 'json', hasHeader: false } };
    scan = await scanWithProgress(context, reading, options.into, options.maxErrors ?? 0);
  }
  const ingestion = new Ingestion(context, sent, options);
  if (options.printSql) return ingestion.print(isSent ? inlineOf(scan) : readable, scan);
  try {
    if (!isSent) await ingestion.run(readable);
    else if (scan) await ingestion.send(scan, reading, folder);
  } catch (error) {
    const check = rowChecker(shape.guess, shape);
    throw await withBrokenRow(context, error, { ...reading, check }, options);
  }
}

interface Shape {
  readonly guess: Guess;
  readonly time: TimeColumn;
  readonly columns: readonly string[] | undefined; // those to store; all by default
  readonly isPlain: boolean; // the service would read the same fields
}

async function shapeOf(
  inputs: readonly [Input, ...Input[]],
  { encoding, timeColumn, timeFormat, ...options }: FileOptions,
): Promise<Shape> {
  const { input, lines, isPlainUtf8, strangeLine } = await firstWithRows(inputs, encoding);
  const { path } = input;
  const format = options.format ?? formatOf(path, lines);
  if (options.format === undefined) refuseOtherFormats(path, format, inputs);
  const types = options.types ?? [];
  if (format === 'parquet' && options.maxErrors !== undefined)
    throw new UsageError(
      `--max-errors needs rows of text, and [${path}] is Parquet`,
      'values of Parquet always fit their columns: omit it',
    );
  const list = inputs.find(({ isList }) => isList);
  if (list && encoding !== undefined)
    throw new UsageError(
      `--encoding is for lines of text, and [${list.path}] is a JSON list`,
      'JSON is UTF-8: omit it',
    );
  if (list && options.source === 'local')
    throw new UsageError(
      `[${list.path}] is a JSON list, which services do not read`,
      'omit --source local: svcctl then sends an item on each line',
    );
  if (strangeLine !== undefined && encoding === undefined && format !== 'parquet')
    throw notUtf8(path, strangeLine);
  const names = options.fields?.split(',');
  const delimiter = delimiterNamed(options.delimiter);
  const how = { names, delimiter, tolerated: options.maxErrors };
  const guess =
    format === 'parquet'
      ? await parquetColumns(input, types)
      : withTypes(path, guessColumns(path, format, lines, how), types);
  return {
    guess,
    time: timeColumnOf(path, guess.columns, timeColumn, timeFormat),
    columns: wantedColumns(path, guess, options.columns),
    isPlain:
      isPlainUtf8 &&
      !inputs.some(({ isList }) => isList) &&
      (format !== 'csv' || (guess.delimiter === ',' && !lines.some(isCutInQuotes))),
  };
}

// A service ends a row at each line end.
const isCutInQuotes = (line: string): boolean => isQuoteOpen(line, ',', false);

// One statement reads one format.
function refuseOtherFormats(path: string, format: GuessedFormat, inputs: readonly Input[]): void {
  const other = inputs.find((input) => (formatNamed(input.path) ?? format) !== format);
  if (other)
    throw new UsageError(
      `[${path}] is ${format} but [${other.path}] is ${formatNamed(other.path)}: one ingestion reads one format`,
      "name the files of one format, such as 'FOLDER/*.csv', or read all as one with --format",
    );
}

// Empty files say nothing about the columns.
async function firstWithRows(
  inputs: readonly [Input, ...Input[]],
  encoding: string | undefined,
): Promise<Beginning & { readonly input: Input }> {
  for (const input of inputs) {
    const beginning = await beginningOf(input, encoding);
    if (beginning.lines.length > 0) return { ...beginning, input };
  }
  return { input: inputs[0], lines: [], isPlainUtf8: true };
}

function readingOf(
  inputs: readonly Input[],
  { guess, columns, time }: Shape,
  { encoding, where }: FileOptions,
): RowReading {
  // A condition may leave out rows without a time.
  const checked = { columns, time: where === undefined ? time : undefined };
  return { inputs, guess, encoding, check: rowChecker(guess, checked) };
}

async function scanIfNeeded(
  context: Context,
  reading: RowReading,
  { into, maxErrors }: FileOptions,
  isReadable: boolean,
): Promise<Scan | undefined> {
  if (reading.guess.format === 'parquet' || (isReadable && maxErrors === undefined))
    return undefined;
  const scan = await scanWithProgress(context, reading, into, maxErrors ?? 0);
  refuseBroken(scan, maxErrors);
  if (scan.rows === 0)
    throw new UsageError(
      `[${reading.inputs[0]?.path}] has no rows${scan.brokenCount > 0 ? ` that can be ingested: ${scan.brokenCount} are broken` : ''}`,
    );
  if (scan.brokenCount > 0) context.out.warn(leftOut(scan));
  return scan;
}

async function scanWithProgress(
  { progress }: Pick<Context, 'progress'>,
  reading: RowReading,
  dataSource: string,
  mostBroken: number,
): Promise<Scan> {
  const line = progress(`Rows for [${dataSource}]`, { afterMs: 1000 });
  try {
    return await scanRows(reading, mostBroken, line);
  } finally {
    line.done();
  }
}

// The service names no row, or only its number.
async function withBrokenRow(
  context: Context,
  error: unknown,
  reading: RowReading,
  { into }: FileOptions,
): Promise<unknown> {
  const mayBeRow =
    error instanceof CommandError &&
    error.outcome === 'failed' &&
    /InsertTimeNull|CannotParseExternalData|TooManyWarnings|InvalidField|parse exceptions/.test(
      error.message,
    );
  if (!mayBeRow || reading.guess.format === 'parquet') return error;
  const { broken } = await scanWithProgress(context, reading, into, 0);
  const [first] = broken;
  return first ? withRow(error, first) : error;
}

const inlineOf = (scan: Scan | undefined): ExternSource => ({
  type: 'inline',
  data: scan?.first?.data ?? '',
});

class Ingestion {
  readonly #context: Context;
  readonly #shape: Shape;
  readonly #options: FileOptions;
  #guess: Guess;
  #isNative = false; // the service lacks SQL tasks

  constructor(context: Context, shape: Shape, options: FileOptions) {
    this.#context = context;
    this.#shape = shape;
    this.#options = options;
    this.#guess = shape.guess;
  }

  async print(source: ExternSource, scan: Scan | undefined): Promise<void> {
    const { out } = this.#context;
    const { query } = this.#requestFor(source, this.#options.replace === true);
    if (source.type === 'inline' && scan && scan.parts > 1)
      out.note(`This is the first of ${scan.parts} statements; the others are INSERT.`);
    await (out.isForPrograms ? out.value({ query }) : out.text([`${query}\n`]));
  }

  async run(source: ExternSource): Promise<void> {
    const { dryRun } = this.#context;
    const { replace = false, wait } = this.#options;
    if (dryRun) this.#isNative = await this.#knowsNoSqlTasks();
    const taskId = await this.#submit(source, replace, wait);
    if (dryRun) return;
    await printTaskId(this.#context, taskId);
    await waitForData(this.#context, taskId, this.#options);
  }

  async send(scan: Scan, reading: RowReading, folder: string | undefined): Promise<void> {
    const { out, dryRun } = this.#context;
    const { into, replace = false, wait } = this.#options;
    const { first, parts: count, rows } = scan;
    if (count <= 1 || dryRun) {
      if (first) out.note(noteOf(first.data, count));
      return this.run({ type: 'inline', data: first?.data ?? '' });
    }
    const faster = folder === undefined ? '' : ` With --allow-dir ${folder} it reads them faster.`;
    out.note(`${noteOf(undefined, count)}${faster}`);
    await sendParts(this.#context, {
      dataSource: into,
      parts: partsOf(reading),
      count,
      rows,
      wish: this.#options,
      submit: ({ data }, at) =>
        this.#submit(
          { type: 'inline', data },
          replace && at === 0,
          at === count - 1 ? wait : undefined,
        ),
    });
  }

  async #submit(
    source: ExternSource,
    isReplaced: boolean,
    wait: FileOptions['wait'],
  ): Promise<string> {
    if (!this.#isNative) {
      try {
        return await this.#withOrWithoutArrays(() =>
          submitStatement(this.#context, this.#requestFor(source, isReplaced), wait),
        );
      } catch (error) {
        if (!lacksSqlTasks(error)) throw error;
        this.#isNative = true;
        this.#context.out.note(
          'The service has no SQL tasks (extension druid-multi-stage-query): native batch tasks ingest the rows.',
        );
      }
    }
    const { call } = this.#context;
    const target = this.#targetOf(isReplaced && (await this.#hasData()));
    const body = nativeTaskFor(target, source, this.#guess, this.#shape.time);
    const given = contextOf(this.#options.context).context;
    const { task } = await call(tasks.submit, {
      body: { ...body, ...(given && { context: given }) },
    });
    return task;
  }

  async #knowsNoSqlTasks(): Promise<boolean> {
    try {
      return !(await this.#context.call(sql.taskEnabled)).enabled;
    } catch (error) {
      if (error instanceof ServiceError) return lacksSqlTasks(error);
      throw error;
    }
  }

  async #hasData(): Promise<boolean> {
    const query = { datasources: [this.#options.into] };
    return (await this.#context.call(metadata.segments, { query })).length > 0;
  }

  #targetOf(isReplaced: boolean): Target {
    const { into, partitionedBy = 'DAY', where } = this.#options;
    const { columns } = this.#shape;
    return { dataSource: into, isReplaced, partitionedBy, columns, where };
  }

  #requestFor(source: ExternSource, isReplaced: boolean): SqlRequest {
    return {
      query: statementFor(this.#targetOf(isReplaced), source, this.#guess, this.#shape.time),
      context: {
        ...(this.#guess === this.#shape.guess && arrayContextOf(this.#guess)),
        ...contextOf(this.#options.context).context,
      },
    };
  }

  async #withOrWithoutArrays<T>(submit: () => Promise<T>): Promise<T> {
    try {
      return await submit();
    } catch (error) {
      if (!knowsNoArrays(error)) throw error;
      this.#context.out.note(
        'The service does not read arrays: arrays of texts become multi-value dimensions, arrays of numbers become JSON.',
      );
      this.#guess = withoutArrays(this.#guess);
      return submit();
    }
  }
}

const noteOf = (data: string | undefined, count: number) =>
  data !== undefined && count <= 1
    ? `The rows are sent in the statement (${formatBytes(Buffer.byteLength(data))}): the service may not read the files itself.`
    : `The rows are sent in ${count} statements of at most ${formatBytes(mostPartBytes)}: the service may not read the files itself.`;
