import { command, optionsFromQuery } from '../../cli/command.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { completers, hints, supervisorId } from './supervisor-id.ts';

export const resetToLatest = command({
  summary: 'Go on with the newest data, and let another supervisor read what lies between',
  description:
    'The supervisor must run, must not read from the earliest offsets, and needs useConcurrentLocks in its context. Rows that its tasks publish meanwhile may be there twice.',
  examples: ['svcctl supervisors reset-to-latest edits --backfill-task-count 2 --yes'],
  endpoints: [supervisors.resetToLatest],
  arguments: supervisorId,
  options: optionsFromQuery(supervisors.resetToLatest),
  completers,
  hints,
  writes: 'change',
  async run({ call, confirm, out, dryRun }, { args, options }) {
    const { supervisorId } = args;
    await confirm({ level: 'change', what: `Set supervisor [${supervisorId}] to the latest offsets`, name: supervisorId });
    const reply = await call(supervisors.resetToLatest, { params: args, query: options });
    if (dryRun) return;
    await out.value(reply);
    out.changed(`Supervisor [${supervisorId}] goes on with the newest data.`, 'svcctl supervisors list');
  },
});
