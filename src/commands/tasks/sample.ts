import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { count, fileName, optional, required, type Value } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';

export const sample = command({
  summary: 'Test an ingestion specification on sample rows',
  description:
    'Takes the same specification as svcctl tasks submit for native batch, and stores nothing.',
  examples: [
    `echo '{"type":"index","spec":{"dataSchema":{"dataSource":"edits","timestampSpec":{"column":"time"},"dimensionsSpec":{}},"ioConfig":{"type":"index","inputSource":{"type":"inline","data":"{}"},"inputFormat":{"type":"json"}}}}' | svcctl tasks sample - --rows 20`,
  ],
  endpoints: [tasks.sample],
  arguments: { file: required(fileName, 'Specification as JSON; - reads stdin') },
  options: { rows: optional(count, 'Maximum number of rows to read') },
  async run({ call, out, io }, { args, options: { rows } }) {
    const given = sampleSpecOf(await readJson(tasks.sample.body, args.file, io));
    await out.document(
      await call(tasks.sample, {
        body:
          rows === undefined
            ? given
            : { ...given, samplerConfig: { ...given.samplerConfig, numRows: rows } },
      }),
    );
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
