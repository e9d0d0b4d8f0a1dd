import { command } from '../../cli/command/command.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { sql as sqlEndpoints } from '../../contract/sql.ts';
import { statements } from '../../contract/statements.ts';
import { tasks } from '../../contract/tasks.ts';
import { bareWait, waitOptions } from '../shared/datasources/wait-for-data.ts';
import {
  requestOf,
  statementArgument,
  statementCompleters,
  statementHints,
  statementOptions,
} from '../shared/sql/query-options.ts';
import { ingestionHints, runIngestion } from './run-ingestion.ts';

export const sql = command({
  summary: 'Run INSERT or REPLACE as a task and print its id',
  examples: [
    'svcctl ingest sql --file load.sql --wait=queryable',
    "svcctl ingest sql 'REPLACE INTO numbers OVERWRITE ALL SELECT CURRENT_TIMESTAMP AS __time, 1 AS n PARTITIONED BY ALL' --wait",
  ],
  arguments: statementArgument,
  options: { ...statementOptions, ...waitOptions },
  completers: statementCompleters,
  hints: { ...statementHints, ...ingestionHints },
  shorts: { file: 'f' },
  bare: bareWait,
  endpoints: [
    sqlEndpoints.task,
    tasks.status,
    tasks.reports,
    metadata.segments,
    datasources.loadStatus,
    sqlEndpoints.query,
    statements.submit,
    statements.status,
  ],
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const request = await requestOf({ args, options }, context.io);
    try {
      await runIngestion(context, request, options);
    } catch (error) {
      const { withRowWithoutTime } = await import('../shared/sql/row-without-time.ts');
      throw await withRowWithoutTime(context, request, error);
    }
  },
});
