// Snapshot of the cluster for `top`. Parts that the user may not read are left out.
import type { Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { cluster } from '../../contract/cluster.ts';
import { sql } from '../../contract/sql.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { tasks } from '../../contract/tasks.ts';

export interface TopSnapshot {
  readonly time: string;
  readonly service: string;
  readonly tasks: { readonly running: number; readonly pending: number; readonly waiting: number };
  readonly slots?: { readonly used: number; readonly all: number };
  readonly active: readonly {
    readonly id: string;
    readonly type: string;
    readonly state: string;
    readonly ageMs: number;
  }[];
  readonly supervisors: readonly {
    readonly id: string;
    readonly state: string;
    readonly lag?: number | bigint;
  }[];
  readonly loadQueue: readonly {
    readonly server: string;
    readonly toLoad: number;
    readonly toLoadSize: number;
    readonly toDrop: number;
  }[];
  readonly servers: readonly {
    readonly host: string;
    readonly tier: string;
    readonly used: number;
    readonly capacity: number;
  }[];
  readonly queries: readonly {
    readonly id: string;
    readonly engine: string;
    readonly sql: string;
  }[];
}

const order: readonly string[] = ['RUNNING', 'PENDING', 'WAITING', 'NONE'];
const mostSupervisors = 20; // one lag request each

export async function snapshotOf({
  call,
  settings,
}: Pick<Context, 'call' | 'settings'>): Promise<TopSnapshot> {
  const [listed, capacity, states, queues, servers, queries] = await Promise.all([
    call(tasks.list, { query: { max: 1 } }),
    ifKnown(call(tasks.capacity)),
    ifKnown(call(supervisors.list, { query: { state: true } })),
    ifKnown(call(cluster.loadQueue, { query: { simple: true } })),
    ifKnown(call(cluster.servers, { query: { simple: true } })),
    ifKnown(call(sql.queries)),
  ]);
  const active = listed.filter(({ statusCode }) => statusCode === 'RUNNING');
  const count = (state: string) =>
    active.filter(({ runnerStatusCode }) => runnerStatusCode === state).length;
  const known = (states ?? []).flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const lags = await Promise.all(
    known
      .slice(0, mostSupervisors)
      .map(({ id }) => ifKnown(call(supervisors.status, { params: { supervisorId: id } }))),
  );
  return {
    time: new Date().toISOString(),
    service: settings.url,
    tasks: { running: count('RUNNING'), pending: count('PENDING'), waiting: count('WAITING') },
    ...(capacity && {
      slots: {
        used: capacity.usedClusterCapacity ?? count('RUNNING'),
        all: capacity.currentClusterCapacity,
      },
    }),
    active: active
      .map(({ id, type, runnerStatusCode, createdTime }) => ({
        id,
        type,
        state: runnerStatusCode,
        ageMs: Math.max(0, Date.now() - Date.parse(createdTime)),
      }))
      .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.ageMs - a.ageMs),
    supervisors: known.map(({ id, detailedState }, at) => {
      const lag = lags[at]?.payload.aggregateLag;
      return { id, state: detailedState, ...(lag !== undefined && lag !== null && { lag }) };
    }),
    loadQueue: Object.entries(queues ?? {}).map(
      ([server, { segmentsToLoad, segmentsToLoadSize, segmentsToDrop }]) => ({
        server,
        toLoad: Number(segmentsToLoad ?? 0),
        toLoadSize: Number(segmentsToLoadSize ?? 0),
        toDrop: Number(segmentsToDrop ?? 0),
      }),
    ),
    servers: (servers ?? []).flatMap((one) =>
      typeof one === 'string'
        ? []
        : [
            {
              host: one.host,
              tier: one.tier,
              used: Number(one.currSize),
              capacity: Number(one.maxSize),
            },
          ],
    ),
    queries: (queries?.queries ?? []).map(({ sqlQueryId, engine, sql }) => ({
      id: String(sqlQueryId),
      engine: String(engine),
      sql: String(sql ?? ''),
    })),
  };
}
