import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { type StatementResult, statements } from '../../contract/statements.ts';
import { completers, hints, identified, statementId } from './statement-id.ts';

export const status = command({
  summary: 'Show the status of a statement',
  description:
    'Tables show the state and the size of the result; -o json has the whole status with the first rows. svcctl tasks report shows the stages.',
  examples: [
    'svcctl statements status query-report-1',
    'svcctl statements status query-report-1 --detail true -o json',
  ],
  endpoints: [statements.status],
  arguments: statementId,
  options: optionsFromQuery(statements.status),
  completers,
  ids: { queryId: identified },
  hints,
  async run({ call, out, settings }, { args, options }) {
    const found = await call(statements.status, { params: args, query: options });
    const isDocument =
      options.detail ||
      settings.query !== undefined ||
      ['json', 'jsonl', 'yaml'].includes(out.format ?? '');
    await (isDocument ? out.document(found) : out.value(summaryOf(found)));
  },
});

const summaryOf = ({
  queryId,
  state,
  createdAt,
  durationMs,
  result,
  errorDetails,
}: StatementResult) => ({
  queryId,
  state,
  createdAt,
  durationMs,
  rows: result?.numTotalRows,
  bytes: result?.totalSizeInBytes,
  pages: result?.pages?.length,
  dataSource: result?.dataSource,
  errorCode: errorDetails?.errorCode,
  errorMessage: errorDetails?.errorMessage,
});
