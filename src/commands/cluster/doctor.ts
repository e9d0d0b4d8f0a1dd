import { type Context, command } from '../../cli/command/command.ts';
import { type Finding, findingColumns, printFindings } from '../../cli/command/findings.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { ServiceError, UnexpectedReply } from '../../client/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { config } from '../../contract/config.ts';
import { rules } from '../../contract/rules.ts';
import { sql } from '../../contract/sql.ts';
import { status } from '../../contract/status.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { examineData } from './doctor/data.ts';
import { examineRules } from './doctor/rules.ts';
import { examineServers } from './doctor/servers.ts';
import { examineService } from './doctor/service.ts';
import { examineWork } from './doctor/work.ts';

const examinations = {
  service: examineService,
  servers: examineServers,
  data: examineData,
  rules: examineRules,
  work: examineWork,
};

export const doctor = command({
  summary: 'Diagnose the whole cluster and suggest fixes',
  description:
    'Findings are numbered, the worst first, each with its remedy. The exit code is 10 when there is a warning or a critical finding; notes do not change it. -o json has the numbers behind the findings.',
  examples: [
    'svcctl cluster doctor',
    "svcctl cluster doctor --where 'state = critical' --output json",
  ],
  endpoints: [
    status.get,
    status.health,
    cluster.coordinatorLeader,
    cluster.overlordLeader,
    cluster.servers,
    cluster.loadStatus,
    cluster.duties,
    config.get,
    rules.list,
    supervisors.list,
    tasks.list,
    workers.list,
    sql.query,
  ],
  columns: findingColumns,
  async run(context) {
    const found = await Promise.all(
      Object.entries(examinations).map(([check, examine]) =>
        runExamination(context, check, examine),
      ),
    );
    const findings = found.flat().sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
    if (findings.length === 0) context.out.note('No problems were found.');
    await printFindings(context, findings, { numbered: true });
    const isHealthy = findings.every(({ state }) => state === 'note' || state === 'ok');
    return isHealthy ? exitCodes.done : exitCodes.unhealthy;
  },
});

const order: readonly Finding['state'][] = ['critical', 'warning', 'note', 'ok'];

// If a part of the cluster is not accessible, report on the others.
async function runExamination(
  context: Context,
  check: string,
  examine: (context: Context) => Promise<readonly Finding[]>,
) {
  try {
    return await examine(context);
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof UnexpectedReply)) throw error;
    const isDenied =
      error instanceof ServiceError && (error.status === 401 || error.status === 403);
    if (isDenied && check === 'service') throw error;
    const finding: Finding = {
      check,
      state: isDenied ? 'note' : 'warning',
      says: `It could not be examined: ${error.message}`,
      remedy: isDenied ? 'svcctl whoami' : 'svcctl cluster status',
    };
    return [finding];
  }
}
