// Samples of the service for the builder, and their preview on the terminal.
import type { Context } from '../../../cli/command/command.ts';
import type { Cell, Columns } from '../../../cli/lists/columns.ts';
import { isColored } from '../../../cli/output/color.ts';
import { createOutput } from '../../../cli/output/output.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { type SamplerResponse, tasks } from '../../../contract/tasks.ts';
import { formatJson } from '../../../model/json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The part of a specification that says where the rows come from. */
export interface RowSource {
  readonly type: 'index' | 'kafka';
  readonly ioConfig: Fields; // without the input format
}

export interface RowSchema {
  readonly inputFormat: Fields;
  readonly timestampSpec: Fields;
  readonly dimensionsSpec: Fields;
}

const sampledRows = 50;
const patienceMs = 15_000; // for messages of a topic

/** The sampled rows. Throws when no row could be read. */
export async function sampleRows(
  { call }: Pick<Context, 'call'>,
  { type, ioConfig }: RowSource,
  { inputFormat, timestampSpec, dimensionsSpec }: RowSchema,
): Promise<SamplerResponse['data']> {
  const { data } = await call(tasks.sample, {
    body: {
      type,
      spec: {
        type,
        dataSchema: {
          dataSource: 'sample',
          timestampSpec,
          dimensionsSpec,
          granularitySpec: { rollup: false },
        },
        ioConfig: { ...ioConfig, inputFormat },
      },
      samplerConfig: { numRows: sampledRows, timeoutMs: patienceMs },
    },
  });
  if (data.length === 0)
    throw new CommandError('failed', 'The sample has no rows: the input is empty');
  const [first] = data;
  if (data.every(({ error }) => error))
    throw new CommandError('failed', `No row of the sample can be read: ${first?.error}`);
  return data;
}

/** The sampled rows as they were read, before any change. */
export const rawRows = (data: SamplerResponse['data']): readonly Fields[] =>
  data.flatMap(({ input }) => (input ? [input as Fields] : []));

const previewedRows = 5;

/** Prints some parsed rows as a table on stderr, where people look; nothing off a terminal. */
export async function preview(
  { ask, io, resolved, settings }: Pick<Context, 'ask' | 'io' | 'resolved' | 'settings'>,
  data: SamplerResponse['data'],
): Promise<void> {
  if (!ask.possible) return;
  const rows = parsedRows(data).slice(0, previewedRows);
  const out = createOutput(
    {
      ...settings,
      output: 'table',
      columns: undefined,
      sort: undefined,
      where: undefined,
      limit: undefined,
      query: undefined,
      color: isColored(resolved, io.env, io.stderr),
      paging: false,
    },
    { ...streamsOf(io), stdout: io.stderr },
  );
  await out.rows(rows, rowColumns(rows));
  await out.close();
  const error = unreadRows(data);
  if (error !== undefined) io.stderr.write(`${error}\n`);
}

/** The parsed rows, or the input of rows that were not parsed. */
export const parsedRows = (data: SamplerResponse['data']): readonly Fields[] =>
  data.flatMap(({ parsed, input }) => {
    const row = parsed ?? input;
    return row ? [row as Fields] : [];
  });

/** The columns of sampled rows. */
export function rowColumns(rows: readonly Fields[]): Columns<Fields> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => ({
    name,
    value: (row: Fields) => cellOf(name, row[name]),
    isVerbatim: true,
  }));
}

/** A sentence about the rows that could not be read; undefined without any. */
export function unreadRows(data: SamplerResponse['data']): string | undefined {
  const unread = data.filter(({ error }) => error);
  return unread.length === 0
    ? undefined
    : `${unread.length} of ${data.length} rows cannot be read: ${unread[0]?.error}`;
}

const streamsOf = ({ stdin, stderr, env }: Context['io']) => ({ stdin, stderr, env });

function cellOf(name: string, value: unknown): Cell {
  if (name === '__time' && typeof value === 'number') return new Date(value).toISOString();
  return typeof value === 'object' && value !== null ? formatJson(value) : (value as Cell);
}
