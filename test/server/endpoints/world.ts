// The service that the cases ask, with something of everything in it.
import type { Service } from '../../../src/server/server.ts';
import { MemoryTopic } from '../../support/memory-stream.ts';
import { startTestServer } from '../../support/start-server.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { finishedTask } from '../../support/tasks.ts';
import { addUser, admin, ask, everything, withUsers } from '../../support/users.ts';
import type { World } from './cases.ts';
import { runningId } from './slow.ts';

export interface StartedWorld extends World {
  close(): Promise<void>;
}

/**
 * Starts it for a service of this name. Who may nothing is `stranger:stranger`, who may read
 * everything `reader:reader`.
 */
export async function startWorld(
  service: 'svc' | 'druid',
  more: Readonly<Record<string, string>> = {},
): Promise<StartedWorld> {
  const properties = Object.fromEntries(
    Object.entries({ ...withUsers, 'svc.indexer.auditLog.enabled': 'true', ...more }).map(
      ([name, value]) => [name.replace(/^svc/, service), value],
    ),
  );
  const openStream = new MemoryTopic(5).open;
  const started = await startTestServer({
    service,
    port: 0,
    dutyTickMs: 3_600_000,
    tasks: [finishedTask('known')],
    properties,
    openStream,
  });
  const world = worldOf(started, service);
  if (service === 'svc') {
    await addUser(started, 'stranger', []);
    await addUser(started, 'reader', everything('READ'));
  }
  await world.ask(
    `POST /${service}/indexer/v1/supervisor`,
    streamSpec({ dataSource: 'edits', suspended: true }),
  );
  const [segmentId = ''] = await world.load('wiki', '01', '02', '03');
  const others: StartedWorld[] = [];
  const withOneQuery = async () => {
    const other = await startWorld(service, { 'svc.query.scheduler.numThreads': '1' });
    others.push(other);
    return other;
  };
  const close = async () => {
    for (const path of ['/svc/v2/sql', '/svc/v2']) await world.send(`DELETE ${path}/${runningId}`);
    await Promise.all([...others.map((other) => other.close()), started.close()]);
  };
  return { ...world, params: { ...world.params, segmentId }, withOneQuery, close };
}

function worldOf({ url }: Service, service: string): Omit<World, 'withOneQuery'> {
  const tell = async (send: string, body?: unknown) => {
    const { status, text } = await again(() => ask({ url }, admin, send, body));
    if (status >= 300) throw new Error(`${send} was refused with ${status}: ${text}`);
    return text;
  };
  return {
    url,
    params: {
      dataSource: 'wiki',
      interval: '2024-01-01_2024-01-03',
      taskId: 'known',
      supervisorId: 'edits',
      tier: '_default_tier',
      nodeRole: 'historical',
      authenticator: 'users',
      authorizer: 'roles',
      username: 'stranger',
      role: 'stranger',
    },
    send: (send, body, by = admin) => again(() => ask({ url }, by, send, body)),
    ask: tell,
    async load(dataSource, ...days) {
      const rows = days.map((day) => `('2024-01-${day}', 'page ${day}', 1)`).join(', ');
      const query = `REPLACE INTO "${dataSource}" OVERWRITE ALL SELECT TIME_PARSE(t) AS __time, page, n FROM (VALUES ${rows}) AS v (t, page, n) PARTITIONED BY DAY`;
      const { taskId } = JSON.parse(await tell(`POST /${service}/v2/sql/task`, { query }));
      for (
        const end = Date.now() + 30_000;
        Date.now() < end;
        await new Promise((wake) => setTimeout(wake, 30))
      ) {
        const { status } = JSON.parse(
          await tell(`GET /${service}/indexer/v1/task/${taskId}/status`),
        );
        if (status.statusCode === 'FAILED')
          throw new Error(`Loading ${dataSource} failed: ${status.errorMsg}`);
        if (status.statusCode === 'SUCCESS')
          return JSON.parse(
            await tell(
              `GET /${service}/coordinator/v1/metadata/datasources/${dataSource}/segments`,
            ),
          );
      }
      throw new Error(`Loading ${dataSource} took too long`);
    },
  };
}

/** Sends once more what met a connection that the service had just closed as idle. */
export async function again<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    if (cause?.code !== 'ECONNRESET' && cause?.code !== 'UND_ERR_SOCKET') throw error;
    return send();
  }
}
