// Tables of the schema sys (docs, "SQL metadata tables"): components and activity of the cluster.

import { formatInstant } from '../../model/instant.ts';
import { formatJson } from '../../model/json.ts';
import type {
  ListedProperty,
  ListedSegment,
  ListedServer,
  ListedSupervisor,
} from '../cluster/listed.ts';
import { sharedText } from '../segments/segment-json.ts';
import type { TaskRecord } from '../storage/tasks.ts';
import { type SystemTable, systemTable } from './system-table.ts';

/**
 * Data for the tables, requested when a query reads them; limited to the data that the caller may
 * see.
 */
export interface SystemState {
  segments(): readonly ListedSegment[];
  servers(): readonly ListedServer[];
  serverSegments(): readonly { readonly server: string; readonly segmentId: string }[];
  tasks(): readonly TaskRecord[];
  supervisors(): readonly ListedSupervisor[];
  serverProperties(): readonly ListedProperty[];
}

export const sysTables = (state: SystemState): readonly SystemTable[] => [
  segmentsTable(state),
  serversTable(state),
  serverSegmentsTable(state),
  serverPropertiesTable(state),
  tasksTable(state),
  supervisorsTable(state),
];

const segmentsTable = (state: SystemState): SystemTable =>
  systemTable<ListedSegment>(
    'segments',
    {
      segment_id: ['STRING', ({ record }) => record.id],
      datasource: ['STRING', ({ record }) => record.dataSource],
      start: ['STRING', ({ record }) => formatInstant(record.interval.start)],
      end: ['STRING', ({ record }) => formatInstant(record.interval.end)],
      size: ['LONG', ({ record }) => long(record.sizeBytes)],
      version: ['STRING', ({ record }) => record.version],
      partition_num: ['LONG', ({ record }) => long(record.partitionNum)],
      num_replicas: ['LONG', ({ isServed }) => flag(isServed)],
      num_rows: ['LONG', ({ record }) => long(record.numRows)],
      is_active: ['LONG', ({ isOvershadowed }) => flag(!isOvershadowed)],
      is_published: ['LONG', ({ isRealtime = false }) => flag(!isRealtime)],
      is_available: ['LONG', ({ isServed }) => flag(isServed)],
      is_realtime: ['LONG', ({ isRealtime = false }) => flag(isRealtime)],
      is_overshadowed: ['LONG', ({ isOvershadowed }) => flag(isOvershadowed)],
      shard_spec: ['STRING', ({ record }) => sharedText(record.shardSpec)],
      dimensions: ['STRING', ({ record }) => sharedText(record.dimensions)],
      metrics: ['STRING', ({ record }) => sharedText(record.metrics)],
      projections: ['STRING', () => null],
      last_compaction_state: [
        'STRING',
        ({ record }) =>
          record.lastCompactionState ? sharedText(record.lastCompactionState) : null,
      ],
      replication_factor: ['LONG', ({ replicationFactor }) => long(replicationFactor)],
    },
    () => state.segments(),
  );

const serversTable = (state: SystemState): SystemTable =>
  systemTable<ListedServer>(
    'servers',
    {
      server: ['STRING', ({ server }) => server],
      host: ['STRING', ({ host }) => host],
      plaintext_port: ['LONG', ({ port }) => long(port)],
      tls_port: ['LONG', ({ tlsPort }) => long(tlsPort)],
      server_type: ['STRING', ({ type }) => type],
      tier: ['STRING', ({ tier }) => tier],
      curr_size: ['LONG', ({ sizeBytes }) => long(sizeBytes)],
      max_size: ['LONG', ({ maxSizeBytes }) => long(maxSizeBytes)],
      storage_size: ['LONG', ({ storageBytes }) => long(storageBytes)],
      is_leader: ['LONG', ({ isLeader }) => (isLeader === null ? null : flag(isLeader))],
      start_time: ['STRING', ({ startMs }) => formatInstant(startMs)],
      version: ['STRING', ({ version }) => version],
      build_revision: ['STRING', () => ''],
      labels: ['STRING', () => null],
      available_processors: ['LONG', ({ processors }) => long(processors)],
      total_memory: ['LONG', ({ memoryBytes }) => long(memoryBytes)],
    },
    () => state.servers(),
  );

const serverSegmentsTable = (state: SystemState): SystemTable =>
  systemTable<{ server: string; segmentId: string }>(
    'server_segments',
    {
      server: ['STRING', ({ server }) => server],
      segment_id: ['STRING', ({ segmentId }) => segmentId],
    },
    () => state.serverSegments(),
  );

const serverPropertiesTable = (state: SystemState): SystemTable =>
  systemTable<ListedProperty>(
    'server_properties',
    {
      server: ['STRING', ({ server }) => server],
      service_name: ['STRING', ({ serviceName }) => serviceName],
      node_roles: ['STRING', ({ role }) => `[${role}]`],
      property: ['STRING', ({ property }) => property],
      value: ['STRING', ({ value }) => value],
      error_message: ['STRING', () => null], // of an unreachable server
    },
    () => state.serverProperties(),
  );

const tasksTable = (state: SystemState): SystemTable =>
  systemTable<TaskRecord>(
    'tasks',
    {
      task_id: ['STRING', ({ id }) => id],
      group_id: ['STRING', ({ groupId }) => groupId],
      type: ['STRING', ({ type }) => type],
      datasource: ['STRING', ({ dataSource }) => dataSource],
      created_time: ['STRING', ({ createdMs }) => formatInstant(createdMs)],
      queue_insertion_time: ['STRING', ({ queuedMs }) => formatInstant(queuedMs)],
      status: ['STRING', ({ status }) => status],
      runner_status: [
        'STRING',
        ({ status, runnerStatus }) => (status === 'RUNNING' ? runnerStatus : 'NONE'),
      ],
      duration: ['LONG', ({ durationMs }) => long(durationMs)],
      location: [
        'STRING',
        ({ location }) =>
          location?.host
            ? `${location.host}:${location.tlsPort >= 0 ? location.tlsPort : location.port}`
            : null,
      ],
      host: ['STRING', ({ location }) => location?.host ?? null],
      plaintext_port: ['LONG', ({ location }) => long(location?.port ?? -1)],
      tls_port: ['LONG', ({ location }) => long(location?.tlsPort ?? -1)],
      error_msg: ['STRING', ({ errorMsg }) => errorMsg ?? null],
    },
    () => state.tasks(),
  );

const supervisorsTable = (state: SystemState): SystemTable =>
  systemTable<ListedSupervisor>(
    'supervisors',
    {
      supervisor_id: ['STRING', ({ id }) => id],
      datasource: ['STRING', ({ dataSource }) => dataSource],
      state: ['STRING', (supervisor) => supervisor.state],
      detailed_state: ['STRING', ({ detailedState }) => detailedState],
      healthy: ['LONG', ({ healthy }) => flag(healthy)],
      type: ['STRING', ({ type }) => type],
      source: ['STRING', ({ source }) => source],
      suspended: ['LONG', ({ suspended }) => flag(suspended)],
      spec: ['STRING', ({ spec }) => formatJson(spec)],
    },
    () => state.supervisors(),
  );

const flag = (value: boolean) => (value ? 1 : 0);
const long = Math.trunc;
