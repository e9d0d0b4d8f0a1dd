import { text as textOf } from 'node:stream/consumers';
import { command } from '../../cli/command/command.ts';
import { jsonFormats } from '../../cli/output/formats.ts';
import { ServiceError } from '../../client/errors.ts';
import { cluster } from '../../contract/cluster.ts';
import { type DatasourceSummary, datasources } from '../../contract/datasources.ts';
import { status } from '../../contract/status.ts';
import { type TaskStatus, tasks } from '../../contract/tasks.ts';

export const itself = command({
  summary: 'Show version, health and size of the service',
  examples: ['svcctl status', 'svcctl status --output json'],
  endpoints: [
    status.get,
    status.health,
    cluster.coordinatorLeader,
    cluster.overlordLeader,
    datasources.list,
    tasks.list,
    tasks.capacity,
  ],
  async run(context) {
    const { call, out, settings, resolved } = context;
    const healthy = await call(status.health);
    const unread: Record<string, string> = {};
    const read = <T>(what: string, asked: Promise<T>): Promise<T | undefined> =>
      asked.catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        unread[what] = error.message;
        return undefined;
      });
    const [self, coordinator, overlord, served, listed, slots] = await Promise.all([
      read('version', call(status.get)),
      read('coordinator', call(cluster.coordinatorLeader).then(textOf)),
      read('overlord', call(cluster.overlordLeader).then(textOf)),
      read('datasources', call(datasources.list, { query: { simple: true } })),
      read('tasks', call(tasks.list)),
      read('slots', call(tasks.capacity)),
    ]);
    const { profileName } = resolved;
    const facts = {
      ...(profileName !== undefined && { profile: profileName }),
      address: settings.url,
      service: settings.service,
      version: self?.version,
      healthy,
      coordinator,
      overlord,
      ...(served && sizes(served)),
      ...(listed && { tasks: states(listed) }),
      ...(slots && {
        slots: { used: slots.usedClusterCapacity ?? 0, all: slots.currentClusterCapacity },
      }),
      ...(Object.keys(unread).length > 0 && { unread }),
    };
    if (settings.query !== undefined || jsonFormats.includes(out.format ?? ''))
      return out.document(facts);
    for (const [what, reason] of Object.entries(unread))
      out.warn(`Field [${what}] cannot be read: ${reason}`);
    const { unread: _, ...shown } = facts;
    await out.value({
      ...shown,
      ...(facts.tasks && {
        tasks:
          Object.entries(facts.tasks)
            .map(([state, count]) => `${count} ${state}`)
            .join(', ') || 'none',
      }),
      ...(facts.slots && { slots: `${facts.slots.used} of ${facts.slots.all} in use` }),
    });
  },
});

type Served = readonly (string | { readonly properties: Partial<DatasourceSummary> })[];

function sizes(served: Served) {
  const known = served.flatMap((one) =>
    typeof one === 'string' ? [] : (one.properties.segments ?? []),
  );
  return {
    datasources: served.length,
    segments: known.reduce((sum, { count }) => sum + count, 0),
    size: known.reduce((sum, { size }) => sum + Number(size), 0),
  };
}

function states(listed: readonly TaskStatus[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { statusCode, runnerStatusCode } of listed) {
    const state = (statusCode === 'RUNNING' ? runnerStatusCode : statusCode).toLowerCase();
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}
