// Steps of the guided builder that tasks and supervisors share: format, time, columns, rollup.
import type { Context } from '../../../cli/command/command.ts';
import { choiceOf, textOf, truthOf } from './answers.ts';
import { type Dimension, dimensionsIn, timeColumnsIn } from './row-guesses.ts';
import { type Fields, preview, type RowSource, rawRows, sampleRows } from './sample-rows.ts';
import { formats, granularities, type SchemaFlags } from './schema-options.ts';

export interface BuiltSchema {
  readonly inputFormat: Fields;
  readonly dataSchema: Fields;
}

// A column that no row has: rows without times are read with the given one.
const noTime = { column: '!!!_no_such_column_!!!', missingValue: '1970-01-01T00:00:00Z' };

/** Asks step by step, and shows parsed rows after each answer that changes them. */
export async function buildSchema(
  context: Context,
  dataSource: string,
  source: RowSource,
  flags: SchemaFlags,
  guessedFormat: string,
): Promise<BuiltSchema> {
  const format = await choiceOf(context, 'Format of the rows:', formats, {
    flag: '--format',
    given: flags.format,
    guess: guessedFormat,
  });
  const inputFormat =
    format === 'json' ? { type: 'json' } : { type: format, findColumnsFromHeader: true };
  const read = await sampleRows(context, source, {
    inputFormat,
    timestampSpec: noTime,
    dimensionsSpec: {},
  });
  const rows = rawRows(read);
  await preview(
    context,
    read.map(({ input, error }) => ({ ...(input && { input }), ...(error && { error }) })),
  );
  const timestampSpec = await chooseTime(context, rows, flags);
  const dimensions = await chooseColumns(context, rows, String(timestampSpec.column), flags);
  await preview(
    context,
    await sampleRows(context, source, {
      inputFormat,
      timestampSpec,
      dimensionsSpec: { dimensions },
    }),
  );
  const rollup = await truthOf(
    context,
    'Roll up: aggregate rows with equal dimensions while they are ingested?',
    { flag: '--rollup', given: flags.rollup },
  );
  const segmentGranularity = await choiceOf(context, 'Time chunk of a segment:', granularities, {
    flag: '--segment-granularity',
    given: flags.segmentGranularity,
    guess: 'DAY',
  });
  return {
    inputFormat,
    dataSchema: {
      dataSource,
      timestampSpec,
      ...(rollup ? rolledUp(dimensions) : { dimensionsSpec: { dimensions } }),
      granularitySpec: {
        segmentGranularity,
        queryGranularity: rollup ? 'MINUTE' : 'NONE',
        rollup,
      },
    },
  };
}

async function chooseTime(
  context: Context,
  rows: readonly Fields[],
  flags: SchemaFlags,
): Promise<Fields> {
  const guesses = timeColumnsIn(rows);
  const [best] = guesses;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const none = '(none: all rows get the same time)';
  const column = await choiceOf(
    context,
    'Column with the time of a row:',
    [...new Set([...guesses.map((guess) => guess.column), ...names, none])],
    { flag: '--time-column', given: flags.timeColumn, guess: best?.column ?? none },
  );
  if (column === none) return { column: '__none', missingValue: '2000-01-01T00:00:00Z' };
  const guess = guesses.find((one) => one.column === column)?.format ?? 'auto';
  const format = await textOf(
    context,
    'Format of the time (auto, iso, millis, posix, or a Joda pattern):',
    {
      flag: '--time-format',
      given: flags.timeFormat,
      guess,
    },
  );
  return { column, format };
}

async function chooseColumns(
  context: Context,
  rows: readonly Fields[],
  timeColumn: string,
  flags: SchemaFlags,
): Promise<readonly Dimension[]> {
  const all = dimensionsIn(rows, timeColumn);
  if (context.ask.possible)
    context.io.stderr.write(`${all.map(({ name, type }) => `  ${name}  ${type}`).join('\n')}\n`);
  const excluded = await textOf(context, 'Columns to leave out, separated by commas:', {
    flag: '--exclude',
    given: flags.exclude,
    guess: '',
  });
  const left = new Set(excluded.split(',').map((name) => name.trim()));
  return all.filter(({ name }) => !left.has(name));
}

function rolledUp(dimensions: readonly Dimension[]): Fields {
  const isNumber = ({ type }: Dimension) => type === 'long' || type === 'double';
  const sums = dimensions.filter(isNumber).map(({ name, type }) => ({
    type: `${type}Sum`,
    name: `sum_${name}`,
    fieldName: name,
  }));
  return {
    dimensionsSpec: { dimensions: dimensions.filter((one) => !isNumber(one)) },
    metricsSpec: [{ type: 'count', name: 'count' }, ...sums],
  };
}
