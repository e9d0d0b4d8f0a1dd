// Filters for list replies by the caller's permissions: one for each endpoint with the permission
// `filtered`.
import type { Endpoint, Result } from '../../contract/endpoint.ts';
import { api } from '../../contract/index.ts';

export interface View {
  /** Whether the caller may read this datasource. */
  readonly reads: (dataSource: string) => boolean;
  /** The datasources that a supervisor has written to. */
  readonly dataSourcesOf: (supervisorId: string) => readonly string[];
}

export type Filter = (reply: never, view: View) => unknown;

const filter = <E extends Endpoint>(
  endpoint: E,
  visible: (reply: Result<E, never>, view: View) => unknown,
): [Endpoint, Filter] => [endpoint, visible];

const filterByName = <T extends { readonly name?: string | null | undefined }>(
  list: readonly (string | T)[],
  { reads }: View,
) => list.filter((one) => reads(typeof one === 'string' ? one : (one.name ?? '')));
const withDataSource = <T extends { readonly dataSource?: unknown }>(
  list: readonly T[],
  { reads }: View,
) => list.filter(({ dataSource }) => reads(String(dataSource)));
const everything = (reply: unknown) => reply;

/**
 * The visible part of a reply, by endpoint. Handlers that aggregate over datasources omit hidden
 * ones themselves.
 */
export const filters: ReadonlyMap<Endpoint, Filter> = new Map([
  filter(api.broker.datasources, filterByName),
  filter(api.datasources.list, everything), // already limited to visible data
  filter(api.metadata.datasources, everything),
  filter(api.metadata.segments, everything),
  filter(api.metadata.schemas, withDataSource),
  filter(api.metadata.bootstrapSegments, everything),
  filter(api.cluster.intervals, everything),
  filter(api.cluster.interval, everything),
  filter(api.compaction.supervisedStatus, ({ latestStatus }, view) => ({
    latestStatus: withDataSource(latestStatus, view),
  })),
  filter(api.compaction.listSupervised, ({ compactionConfigs }, view) => ({
    compactionConfigs: withDataSource(compactionConfigs, view),
  })),
  filter(api.tasks.list, everything), // already limited to visible data, as for other tasks
  filter(api.tasks.complete, everything),
  filter(api.tasks.running, everything),
  filter(api.tasks.waiting, everything),
  filter(api.tasks.pending, everything),
  filter(api.supervisors.list, (list, { reads, dataSourcesOf }) =>
    list.filter((one) =>
      dataSourcesOf(typeof one === 'string' ? one : String(one.id)).every(reads),
    ),
  ),
  filter(api.supervisors.allHistory, (versions, { reads, dataSourcesOf }) =>
    Object.fromEntries(Object.entries(versions).filter(([id]) => dataSourcesOf(id).every(reads))),
  ),
  filter(api.supervisors.suspendAll, everything), // already limited to writable supervisors
  filter(api.supervisors.resumeAll, everything),
  filter(api.supervisors.terminateAll, everything),
  filter(api.sql.queries, everything), // already limited to visible queries
  filter(api.sql.report, everything),
]);
