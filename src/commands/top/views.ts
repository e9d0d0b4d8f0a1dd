// Views on tasks, supervisors, segments, services and queries.
import { ifKnown } from '../../cli/command/if-known.ts';
import { type Cell, formatDuration } from '../../cli/lists/columns.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { cluster } from '../../contract/cluster.ts';
import { sql } from '../../contract/sql.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { type TaskStatus, tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { formatPeriodCell } from '../shared/datasources/shown-times.ts';
import { type TopRow, type View, viewColumns } from './view.ts';

const mostComplete = 100;
const mostSegments = 500;
const mostLags = 20; // one request each

const stateOf = ({ statusCode, runnerStatusCode }: TaskStatus) =>
  statusCode === 'RUNNING' ? runnerStatusCode : statusCode;

const taskView: View = {
  name: 'tasks',
  columns: viewColumns({
    id: {},
    state: { kind: 'state' },
    age: { kind: 'duration' },
    duration: { kind: 'duration' },
    datasource: {},
    type: {},
  }),
  async load({ call }) {
    const now = Date.now();
    const order = ['RUNNING', 'PENDING', 'WAITING', 'NONE'];
    const place = (task: TaskStatus) => {
      const at = order.indexOf(stateOf(task));
      return at < 0 ? order.length : at;
    };
    const found = await call(tasks.list, { query: { max: mostComplete } });
    return [...found]
      .sort((a, b) => place(a) - place(b) || Date.parse(b.createdTime) - Date.parse(a.createdTime))
      .map((task) => ({
        id: task.id,
        cells: [
          task.id,
          stateOf(task),
          Math.max(0, now - Date.parse(task.createdTime)),
          task.duration >= 0 ? task.duration : null,
          task.dataSource,
          task.type,
        ],
        about: { statusCode: task.statusCode },
      }));
  },
  details: ({ id }) => ({
    title: `why task ${id}`,
    load: async () => (await import('../why/task.ts')).task,
    input: { args: { taskId: id }, options: {} },
  }),
  log: ({ id }) => ({
    title: `tasks log ${id}`,
    load: async () => (await import('../tasks/log.ts')).log,
    input: { args: { taskId: id }, options: { tail: 1000 } },
  }),
  report: ({ id }) => ({
    title: `tasks report ${id}`,
    load: async () => (await import('../tasks/report.ts')).report,
    input: { args: { taskId: id }, options: {} },
  }),
  cancel: ({ id, about }) =>
    about?.statusCode !== 'RUNNING'
      ? undefined
      : {
          title: `tasks cancel ${id}`,
          question: `Cancel task [${id}]?`,
          load: async () => (await import('../tasks/cancel.ts')).cancel,
          input: { args: { taskIds: [id] }, options: {} },
        },
};

const supervisorView: View = {
  name: 'supervisors',
  columns: viewColumns({
    id: {},
    state: { kind: 'state' },
    lag: {},
    tasks: {},
    stream: {},
    datasource: {},
  }),
  async load({ call }) {
    const found = await call(supervisors.list, { query: { state: true } });
    const known = found.flatMap((one) => (typeof one === 'string' ? [] : [one]));
    const statuses = await Promise.all(
      known
        .slice(0, mostLags)
        .map(({ id }) => ifKnown(call(supervisors.status, { params: { supervisorId: id } }))),
    );
    return known.map(({ id, detailedState, suspended, dataSource }, at) => {
      const status = statuses[at]?.payload;
      const { activeTasks } = status ?? {};
      return {
        id,
        cells: [
          id,
          detailedState,
          status?.aggregateLag ?? null,
          Array.isArray(activeTasks) ? activeTasks.length : null,
          status?.stream ?? null,
          dataSource ?? status?.dataSource ?? null,
        ],
        about: {
          suspended: String(
            (suspended ?? status?.suspended) === true || detailedState === 'SUSPENDED',
          ),
        },
      };
    });
  },
  details: ({ id }) => ({
    title: `why supervisor ${id}`,
    load: async () => (await import('../why/supervisor.ts')).supervisor,
    input: { args: { supervisorId: id }, options: {} },
  }),
  report: ({ id }) => ({
    title: `supervisors stats ${id}`,
    load: async () => (await import('../supervisors/stats.ts')).stats,
    input: { args: { supervisorId: id }, options: {} },
  }),
  cancel: ({ id, about }) =>
    about?.suspended === 'true'
      ? {
          title: `supervisors resume ${id}`,
          question: `Resume supervisor [${id}]?`,
          load: async () => (await import('../supervisors/resume.ts')).resume,
          input: { args: { supervisorIds: [id] }, options: {} },
        }
      : {
          title: `supervisors suspend ${id}`,
          question: `Suspend supervisor [${id}]?`,
          load: async () => (await import('../supervisors/suspend.ts')).suspend,
          input: { args: { supervisorIds: [id] }, options: {} },
        },
};

// Segments that need attention come first.
const segmentQuery = `SELECT segment_id, datasource, "start", "end", partition_num, "size", num_rows, num_replicas, is_available, is_realtime, is_overshadowed
FROM sys.segments ORDER BY is_available, "start" DESC, segment_id LIMIT ${mostSegments}`;

const segmentView: View = {
  name: 'segments',
  most: mostSegments,
  columns: viewColumns({
    datasource: {},
    interval: { show: formatPeriodCell },
    partition: {},
    state: { kind: 'state' },
    size: { kind: 'bytes' },
    rows: {},
    replicas: {},
  }),
  async load({ call }) {
    const found: TopRow[] = [];
    const body = { query: segmentQuery, resultFormat: 'arrayLines' } as const;
    for await (const batch of rowsOf(await call(sql.query, { body }), 'arrayLines'))
      for (const row of batch as readonly (readonly Cell[])[]) {
        const [id, datasource, start, end, partition, size, rows, replicas, ...states] = row;
        const [available, realtime, overshadowed] = states.map((state) => Number(state) === 1);
        const state = overshadowed
          ? 'OVERSHADOWED'
          : realtime
            ? 'REALTIME'
            : available
              ? 'LOADED'
              : 'LOADING';
        found.push({
          id: String(id),
          cells: [datasource, `${start}/${end}`, partition, state, size, rows, replicas],
          about: { datasource: String(datasource) },
        });
      }
    return found;
  },
  details: ({ id }) => ({
    title: `why segment ${id}`,
    load: async () => (await import('../why/segment.ts')).segment,
    input: { args: { segmentId: id }, options: {} },
  }),
  report: ({ about }) => ({
    title: `segments timeline ${about?.datasource}`,
    load: async () => (await import('../segments/timeline.ts')).timeline,
    input: { args: { dataSource: about?.datasource }, options: {} },
  }),
};

const serviceView: View = {
  name: 'services',
  columns: viewColumns({
    host: {},
    role: {},
    state: { kind: 'state' },
    tier: {},
    used: { kind: 'bytes' },
    capacity: { kind: 'bytes' },
    toLoad: {},
    slots: {},
  }),
  async load({ call }) {
    const [nodes, servers, queues, workerList] = await Promise.all([
      ifKnown(call(cluster.nodes)),
      ifKnown(call(cluster.servers, { query: { simple: true } })),
      ifKnown(call(cluster.loadQueue, { query: { simple: true } })),
      ifKnown(call(workers.list)),
    ]);
    const byHost = new Map(
      (servers ?? []).flatMap((one) => (typeof one === 'string' ? [] : [[one.host, one] as const])),
    );
    const workerByHost = new Map((workerList ?? []).map((one) => [one.worker.host, one]));
    const found = new Map<string, TopRow>();
    const add = (host: string, role: string) => {
      const server = role === 'middleManager' ? undefined : byHost.get(host);
      const worker =
        role === 'middleManager' || role === 'indexer' ? workerByHost.get(host) : undefined;
      const state = worker ? (worker.worker.disabled ? 'DISABLED' : 'ENABLED') : null;
      found.set(`${role} ${host}`, {
        id: `${role} ${host}`,
        cells: [
          host,
          role,
          state,
          server?.tier ?? null,
          server?.currSize ?? null,
          server?.maxSize ?? null,
          server ? Number(queues?.[host]?.segmentsToLoad ?? 0) : null,
          worker ? `${worker.currCapacityUsed}/${worker.worker.capacity}` : null,
        ],
        about: { host, role },
      });
    };
    for (const [role, those] of Object.entries(nodes ?? {}))
      for (const { host, plaintextPort, tlsPort } of those) {
        const port = plaintextPort && plaintextPort > 0 ? plaintextPort : tlsPort;
        add(
          port === undefined || String(host).includes(':') ? String(host) : `${host}:${port}`,
          role,
        );
      }
    const isListed = (host: string) => [...found.values()].some(({ cells }) => cells[0] === host);
    for (const [host, { type }] of byHost) if (!isListed(host)) add(host, type);
    for (const host of workerByHost.keys()) if (!isListed(host)) add(host, 'middleManager');
    return [...found.values()];
  },
  details: ({ about, cells }) => {
    const host = about?.host ?? '';
    if (about?.role === 'historical')
      return {
        title: `servers segments ${host}`,
        load: async () => (await import('../servers/segments.ts')).segments,
        input: { args: { server: host }, options: {} },
      };
    if (about?.role === 'middleManager')
      return {
        title: `workers tasks ${host}`,
        load: async () => (await import('../workers/tasks.ts')).tasks,
        input: { args: { host }, options: {} },
      };
    return cells.flatMap((cell, at) =>
      cell === null || cell === undefined ? [] : [`${serviceView.columns[at]?.name}: ${cell}`],
    );
  },
};

const queryView: View = {
  name: 'queries',
  columns: viewColumns({
    query: {},
    state: { kind: 'state' },
    age: { kind: 'duration' },
    duration: { kind: 'duration' },
    engine: {},
    user: {},
    id: {},
  }),
  async load({ call }) {
    const now = Date.now();
    const [listed, running] = await Promise.all([
      ifKnown(call(sql.queries, { query: { includeComplete: true, includeNative: true } })),
      ifKnown(call(tasks.list, { query: { state: 'running', type: 'query_controller' } })),
    ]);
    if (!listed && !running?.length) return 'The service does not list its queries.';
    const queries = (listed?.queries ?? []).map((query, at): TopRow => {
      const { engine, state = 'RUNNING', startTime, durationMs, identity } = query;
      const isNative = query.sqlQueryId === undefined;
      const id = query.sqlQueryId ?? query.queryId;
      const text = query.sql ?? query.query ?? '';
      const isRunning = durationMs === undefined || durationMs === null;
      return {
        id: id ?? String(at),
        cells: [
          text.replace(/\s+/g, ' ').trim(),
          state,
          startTime ? Math.max(0, now - Date.parse(startTime)) : null,
          durationMs ?? null,
          engine ?? null,
          identity ?? null,
          id ?? null,
        ],
        about: {
          query: text,
          ...(isNative && { isNative: 'true' }),
          ...(isRunning && { isRunning: 'true' }),
        },
      };
    });
    // A statement of the multi-stage engine is a task.
    const statements = (running ?? []).map(
      (task): TopRow => ({
        id: task.id,
        cells: [
          `into ${task.dataSource}`,
          stateOf(task),
          Math.max(0, now - Date.parse(task.createdTime)),
          null,
          'msq-task',
          null,
          task.id,
        ],
        about: { task: task.id },
      }),
    );
    const place = ({ about }: TopRow) => (about?.isRunning || about?.task ? 0 : 1);
    return [...statements, ...queries].sort(
      (a, b) => place(a) - place(b) || Number(a.cells[2] ?? 0) - Number(b.cells[2] ?? 0),
    );
  },
  details: (row) => {
    if (row.about?.task !== undefined) return taskView.details({ ...row, id: row.about.task });
    const facts = queryView.columns.slice(1).flatMap(({ name, kind }, at) => {
      const cell = row.cells[at + 1];
      if (cell === null || cell === undefined) return [];
      return [`${name}: ${kind === 'duration' ? formatDuration(cell) : cell}`];
    });
    return [...facts, '', ...(row.about?.query ?? '').split('\n')];
  },
  log: (row) =>
    row.about?.task === undefined ? undefined : taskView.log?.({ ...row, id: row.about.task }),
  report: (row) => {
    if (row.about?.task !== undefined) return taskView.report?.({ ...row, id: row.about.task });
    if (row.about?.isNative !== undefined) return undefined;
    return {
      title: `sql report ${row.id}`,
      load: async () => (await import('../sql/report.ts')).report,
      input: { args: { sqlQueryId: row.id }, options: {} },
    };
  },
  cancel: (row) => {
    if (row.about?.task !== undefined)
      return taskView.cancel?.({ ...row, id: row.about.task, about: { statusCode: 'RUNNING' } });
    if (row.about?.isRunning === undefined) return undefined;
    return {
      title: `queries kill ${row.id}`,
      question: `Cancel query [${row.id}]?`,
      load: async () => (await import('../queries/kill.ts')).kill,
      input: { args: { ids: [row.id] }, options: {} },
    };
  },
};

export const views: readonly View[] = [
  taskView,
  supervisorView,
  segmentView,
  serviceView,
  queryView,
];
