import { type Context, command } from '../../cli/command/command.ts';
import { loadStatusCheck } from '../shared/checks/load-status-check.ts';
import { type Check, defaultVerdict, formatOption, report } from '../shared/checks/monitor.ts';
import { type CheckVerdict, worst } from '../shared/checks/plugin.ts';
import { segmentsCheck } from '../shared/checks/segments-check.ts';
import { supervisorsCheck } from '../shared/checks/supervisors-check.ts';
import { tasksCheck } from '../shared/checks/tasks-check.ts';

const checks: readonly Check[] = [loadStatusCheck, supervisorsCheck, tasksCheck, segmentsCheck];

export const check = command({
  summary: 'Run all checks: load status, supervisors, tasks and segments',
  description:
    'Prints one line. Exit codes: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN, also when the service cannot be reached. svcctl check NAME takes your own thresholds; svcctl cluster doctor suggests remedies.',
  examples: ['svcctl cluster check', 'svcctl cluster check --output prometheus'],
  endpoints: checks.flatMap(({ endpoints }) => endpoints),
  options: formatOption,
  shorts: { output: 'o' },
  run: (context, { options: { output = 'nagios' } }) =>
    report(context, output, 'cluster', () => together(context)),
});

async function together(context: Context): Promise<CheckVerdict> {
  const verdicts = await Promise.all(checks.map((each) => defaultVerdict(context, each)));
  const state = worst(verdicts.map((verdict) => verdict.state));
  const said = verdicts.filter((verdict) => state === 'OK' || verdict.state !== 'OK');
  return {
    check: 'cluster',
    state,
    says: said.map(({ check, says }) => `${check}: ${says}`).join('; '),
    metrics: verdicts.flatMap(({ check, metrics }) =>
      metrics.map((metric) => ({ ...metric, name: `${check}_${metric.name}` })),
    ),
  };
}
