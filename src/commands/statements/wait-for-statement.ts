// Waiting for a statement, with its progress on stderr.

import type { Context } from '../../cli/command/command.ts';
import type { Turn } from '../../cli/command/wait-for-each.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import type { ProgressState } from '../../cli/output/progress-state.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { check, Mismatch, type Value } from '../../contract/schema.ts';
import { type StatementResult, statements } from '../../contract/statements.ts';
import { stagesAndCounters } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { progressOf, stagesIn } from '../shared/tasks/report-stages.ts';
import { type RowCounts, rowCountsOfStages, rowWarning } from '../shared/tasks/row-counts.ts';
import { type Leaving, mayLeave } from '../shared/waiting/leaving.ts';
import { poll } from '../shared/waiting/poll.ts';

type Waiting = Leaving & Pick<Context, 'out' | 'progress'>;

interface How {
  readonly maxWait?: number | undefined; // seconds
  readonly turn?: Turn; // for one of several statements
  readonly isKnown?: boolean; // the service has just returned this id
}

/**
 * The status of a successful statement; throws when it failed (exit code 1) and after `maxWait`
 * seconds (7).
 */
export function waitForStatement(
  context: Waiting,
  queryId: string,
  how: How = {},
): Promise<StatementResult> {
  const waited = {
    goesOn: `Statement [${queryId}] continues`,
    comeBack: commandLine`svcctl statements wait ${how.turn?.left ?? queryId}`,
    stop: {
      by: commandLine`svcctl statements cancel ${queryId}`,
      cancel: (call: Context['call']) => call(statements.cancel, { params: { queryId } }),
    },
  };
  return mayLeave(context, waited, (signal) =>
    untilEnded({ ...context, signal }, queryId, how, waited.comeBack),
  );
}

async function untilEnded(
  context: Waiting,
  queryId: string,
  { maxWait, turn, isKnown = false }: How,
  hint: string,
): Promise<StatementResult> {
  const { call, out, progress } = context;
  const line = progress(`Statement [${queryId}]`);
  const look = () => call(statements.status, { params: { queryId }, query: { detail: true } });
  const patience = {
    what: `Statement [${queryId}] has not ended`,
    hint,
    isKnown,
    ...(maxWait !== undefined && { maxWait }),
    ...(turn && { sinceMs: turn.sinceMs }),
  };
  try {
    for await (const status of poll(look, context, patience)) {
      if (status.state === 'FAILED') throw failureOf(status);
      if (status.state === 'SUCCESS') {
        line.done(`Statement [${queryId}] succeeded after ${formatDuration(status.durationMs)}`);
        const warning = rowWarning(`Statement [${queryId}]`, rowCountsOf(status));
        if (warning !== undefined) out.warn(warning);
        return status;
      }
      line.update(progressIn(status));
    }
    throw new Error('Polling a statement ended without a result');
  } catch (error) {
    line.failed();
    throw error;
  }
}

// Older services report only the state of a statement.
function progressIn(status: StatementResult): ProgressState {
  const { state } = status;
  const payload = state === 'RUNNING' ? detailsIn(status) : undefined;
  if (!payload) return { stage: state.toLowerCase() };
  return { ...subjectOf(payload), ...progressOf(stagesIn({ payload })) };
}

// An INSERT or REPLACE names its datasource in the stage that writes it.
function subjectOf({ stages }: Value<typeof stagesAndCounters>): ProgressState {
  for (const { definition } of stages ?? []) {
    const schema: unknown = definition.processor.dataSchema;
    const { dataSource } = (schema ?? {}) as { readonly dataSource?: unknown };
    if (typeof dataSource === 'string') return { what: `Datasource [${dataSource}]` };
  }
  return {};
}

function rowCountsOf(status: StatementResult): RowCounts | undefined {
  const payload = detailsIn(status);
  return payload && rowCountsOfStages(payload);
}

function detailsIn({
  stages,
  counters,
}: StatementResult): Value<typeof stagesAndCounters> | undefined {
  if (!stages?.length) return undefined;
  try {
    return check(stagesAndCounters, { stages, counters });
  } catch (error) {
    if (error instanceof Mismatch) return undefined;
    throw error;
  }
}

/** The error of a failed statement, with its own message. */
export function failureOf({ queryId, errorDetails }: StatementResult): CommandError {
  const { errorCode, errorMessage } = errorDetails ?? {};
  const reason = [errorCode === 'general' ? undefined : errorCode, errorMessage]
    .filter(Boolean)
    .join(': ');
  return new CommandError(
    'failed',
    `Statement [${queryId}] failed${reason && `: ${reason}`}`,
    commandLine`svcctl tasks log ${queryId} --tail 20`,
  );
}
