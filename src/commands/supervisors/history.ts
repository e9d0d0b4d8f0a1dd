import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { optional, text } from '../../contract/schema.ts';
import { type SupervisorVersion, supervisors } from '../../contract/supervisors.ts';
import { completers } from '../shared/supervisors/supervisor-id.ts';

type NamedVersion = SupervisorVersion & { readonly id: string };

const columns = columnsOf<NamedVersion>({
  id: ({ id }) => id,
  version: { value: ({ version }) => version, kind: 'time' },
  what: ({ spec }) =>
    isTombstone(spec) ? 'terminated' : spec?.suspended === true ? 'suspended' : 'runs',
  type: { value: ({ spec }) => (typeof spec?.type === 'string' ? spec.type : null), wide: true },
});

export const history = command({
  summary: 'List past specifications of supervisors, newest first',
  description:
    '--output json has the whole specification of each version. Terminated supervisors are included.',
  examples: [
    'svcctl supervisors history edits --count 5',
    'svcctl supervisors history --output json',
  ],
  endpoints: [supervisors.history, supervisors.allHistory],
  arguments: { supervisorId: optional(text, 'Supervisor id (default: all)') },
  options: optionsFromQuery(supervisors.history),
  completers,
  hints: { notFound: 'svcctl supervisors history lists all past supervisors' },
  columns,
  async run({ call, out }, { args: { supervisorId }, options }) {
    if (supervisorId !== undefined) {
      const versions = await call(supervisors.history, {
        params: { supervisorId },
        query: options,
      });
      return out.rows(
        versions.map((version) => ({ id: supervisorId, ...version })),
        columns,
      );
    }
    if (options.count !== undefined)
      throw new UsageError(
        '--count is for the history of one supervisor',
        'name it, or use --limit',
      );
    const all = Object.entries(await call(supervisors.allHistory));
    await out.rows(
      all.flatMap(([id, versions]) => versions.map((version) => ({ id, ...version }))),
      columns,
    );
  },
});

const isTombstone = (spec: SupervisorVersion['spec']) =>
  spec?.type === 'noop' || spec?.type === 'NoopSupervisorSpec';
