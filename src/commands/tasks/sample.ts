import { command } from '../../cli/command.ts';
import { readJson } from '../../cli/read-json.ts';
import { integer, optional, required, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';

export const sample = command({
  summary: 'Try an ingestion specification on a few rows, and show what becomes of them',
  description: 'Takes what `tasks submit` takes for native batch, with type index; nothing is stored.',
  examples: [
    `echo '{"type":"index","spec":{"dataSchema":{"dataSource":"edits","timestampSpec":{"column":"time"},"dimensionsSpec":{}},"ioConfig":{"type":"index","inputSource":{"type":"inline","data":"{}"},"inputFormat":{"type":"json"}}}}' | svcctl tasks sample - --rows 20`,
  ],
  endpoints: [tasks.sample],
  arguments: { file: required(text, 'The specification as JSON; - is stdin') },
  options: { rows: optional(integer, 'Read at most so many rows') },
  async run({ call, out, io }, { args, options: { rows } }) {
    const given = await readJson(tasks.sample.body, args.file, io);
    await out.document(
      await call(tasks.sample, {
        body: rows === undefined ? given : { ...given, samplerConfig: { ...given.samplerConfig, numRows: rows } },
      }),
    );
  },
});
