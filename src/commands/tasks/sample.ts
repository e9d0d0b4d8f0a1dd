import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { count, fileName, optional, required, type Value } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';

export const sample = command({
  summary: 'Test an ingestion specification on sample rows',
  description:
    'Takes the same specification as svcctl tasks submit for native batch, and stores nothing. Tables show the parsed rows, other formats the whole answer.',
  examples: [
    `echo '{"type":"index","spec":{"dataSchema":{"dataSource":"edits","timestampSpec":{"column":"time"},"dimensionsSpec":{}},"ioConfig":{"type":"index","inputSource":{"type":"inline","data":"{}"},"inputFormat":{"type":"json"}}}}' | svcctl tasks sample - --rows 20`,
  ],
  endpoints: [tasks.sample],
  arguments: { file: required(fileName, 'Specification as JSON; - reads stdin') },
  options: { rows: optional(count, 'Maximum number of rows to read') },
  columns: 'dynamic',
  async run({ call, out, io }, { args, options: { rows } }) {
    const given = sampleSpecOf(await readJson(tasks.sample.body, args.file, io));
    const sampled = await call(tasks.sample, {
      body:
        rows === undefined
          ? given
          : { ...given, samplerConfig: { ...given.samplerConfig, numRows: rows } },
    });
    const isList = ['table', 'wide', 'csv', 'tsv'].includes(
      out.format ?? (io.stdout.isTTY ? 'table' : 'json'),
    );
    if (!isList) return out.document(sampled);
    const { parsedRows, rowColumns, unreadRows } = await import('../shared/builder/sample-rows.ts');
    const shown = parsedRows(sampled.data);
    await out.rows(shown, rowColumns(shown));
    const error = unreadRows(sampled.data);
    if (error !== undefined) out.warn(error);
  },
});

type Sampled = Value<typeof tasks.sample.body>;

// The sampler of the real engine accepts only the simple form of native batch, which gives the same
// sample.
function sampleSpecOf({ spec, ...given }: Sampled): Sampled {
  const parts = Object.entries(spec).map(([name, part]) => [
    name,
    isParallel(part) ? { ...part, type: 'index' } : part,
  ]);
  return { ...given, ...(isParallel(given) && { type: 'index' }), spec: Object.fromEntries(parts) };
}

const isParallel = (part: unknown): part is { type: 'index_parallel' } =>
  typeof part === 'object' && part !== null && 'type' in part && part.type === 'index_parallel';
