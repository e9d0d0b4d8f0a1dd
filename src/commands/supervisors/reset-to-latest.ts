import { type Context, command, optionsFromQuery } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const resetToLatest = command({
  summary: 'Skip to the latest offsets and backfill the gap with another supervisor',
  description:
    'The supervisor must be running, must not read from the earliest offsets, and needs useConcurrentLocks in its context. Rows that its tasks publish meanwhile may be read twice. Requires Druid 38 or newer.',
  examples: ['svcctl supervisors reset-to-latest edits --backfill-task-count 2 --yes'],
  endpoints: [supervisors.resetToLatest, supervisors.get],
  arguments: supervisorId,
  options: optionsFromQuery(supervisors.resetToLatest),
  completers,
  ids: { supervisorId: identified },
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const { call, confirm, out, dryRun } = context;
    const { supervisorId } = args;
    await confirm({
      level: 'change',
      what: `Set supervisor [${supervisorId}] to the latest offsets`,
      name: supervisorId,
    });
    const reply = await call(supervisors.resetToLatest, { params: args, query: options }).catch(
      (error: unknown) => explain(context, supervisorId, error),
    );
    if (dryRun) return;
    await out.value(reply);
    out.changed(
      supervisorId,
      `Supervisor [${supervisorId}] continues with the newest data.`,
      'svcctl supervisors list',
    );
  },
});

// An older service lacks the endpoint and replies as for a missing supervisor. If the supervisor
// exists, the endpoint is missing.
async function explain({ call }: Context, supervisorId: string, error: unknown): Promise<never> {
  const isSilent =
    error instanceof ServiceError && error.status === 404 && error.bodyKind === 'empty';
  if (!isSilent || !(await ifKnown(call(supervisors.get, { params: { supervisorId } }))))
    throw error;
  throw new CommandError(
    'failed',
    `This service cannot set supervisor [${supervisorId}] to the latest offsets by itself; Druid supports it since version 38`,
    `${commandLine`svcctl supervisors reset-offsets ${supervisorId} PARTITION=OFFSET`}, with the latestOffsets of ${commandLine`svcctl supervisors status ${supervisorId}`}`,
  );
}
