import { randomUUID } from 'node:crypto';
import { command } from '../../cli/command/command.ts';
import { native } from '../../contract/native.ts';
import { optional, text } from '../../contract/schema.ts';
import { printItems } from './print-items.ts';
import { fileOption, queryArgument, queryOf } from './query-input.ts';

export const run = command({
  summary: 'Run a native query and print its result',
  description:
    "Tables, TSV, CSV and JSON lines have one row per row of the result; JSON and YAML are the service's own answer. Ctrl-C cancels the query on the service.",
  examples: [
    'svcctl query run \'{"queryType":"timeBoundary","dataSource":"wikipedia"}\'',
    'svcctl query run --file top-pages.json -o csv',
    'echo \'{"queryType":"scan","dataSource":"wikipedia","intervals":"2015/2016","limit":3}\' | svcctl query run -o json',
  ],
  arguments: queryArgument,
  options: { ...fileOption, queryId: optional(text, 'Query id, for cancelling') },
  shorts: { file: 'f' },
  endpoints: [native.query, native.cancel],
  columns: 'dynamic',
  async run(context, input) {
    const { call, onInterrupt, io } = context;
    const query = await queryOf(input, io);
    const said: Readonly<Record<string, unknown>> = query.context ?? {};
    const queryId =
      input.options.queryId ?? (typeof said.queryId === 'string' ? said.queryId : randomUUID());
    const forget = onInterrupt((callNow) => callNow(native.cancel, { params: { queryId } }));
    await printItems(
      await call(native.query, { body: { ...query, context: { ...said, queryId } } }),
      context,
    );
    forget();
  },
});
