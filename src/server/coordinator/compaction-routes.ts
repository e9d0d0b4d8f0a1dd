// Automatic compaction endpoints of the Coordinator and the Overlord, which share their
// configurations (the specification, "Automatic compaction").
import type { CompactionConfig } from '../../contract/compaction.ts';
import type { Dialect } from '../../model/dialect.ts';
import { auditInfoFrom } from '../configuration/audited-config.ts';
import type { Routes } from '../handlers/routes.ts';
import type { Compaction } from './compaction.ts';
import {
  type ClusterCompaction,
  type CompactionConfigs,
  completeCluster,
} from './compaction-configs.ts';
import { beyondInteger, noDataSource, otherDataSource, slotsOutside } from './refusals.ts';

export function compactionRoutes(
  configs: CompactionConfigs,
  compaction: Compaction,
  dialect: Dialect,
): Routes<'compaction'> {
  const replyToWrite = () =>
    dialect.compactionWritten === 'success' ? { success: true } : undefined;
  const set = (config: CompactionConfig, signature: Parameters<CompactionConfigs['set']>[1]) => {
    configs.set(config, signature);
    return replyToWrite();
  };
  const remove = (dataSource: string, signature: Parameters<CompactionConfigs['set']>[1]) => {
    configs.remove(dataSource, signature);
    compaction.forget(dataSource);
    return replyToWrite();
  };
  const simulate = (given: Parameters<CompactionConfigs['setCluster']>[0] | null) =>
    compaction.simulate(
      Object.fromEntries(
        Object.entries(completeCluster(given ?? {})).filter(([, value]) => value !== null),
      ) as Partial<ClusterCompaction>,
    );
  return {
    list: () => ({ compactionConfigs: configs.list(), ...configs.shownCluster() }),
    get: ({ params }) => configs.get(params.dataSource),
    set: ({ body, headers, caller }) => set(body, auditInfoFrom(headers, caller)),
    remove: ({ params, headers, caller }) =>
      remove(params.dataSource, auditInfoFrom(headers, caller)),
    setTaskSlots({ query: { ratio, max, useAutoScaleSlots }, headers, caller }) {
      checkSlots(max, dialect);
      const given = {
        ...(ratio !== undefined && { compactionTaskSlotRatio: ratio }),
        ...(max !== undefined && { maxCompactionTaskSlots: max }),
        ...(useAutoScaleSlots !== undefined && { useAutoScaleSlots }),
      };
      if (Object.keys(given).length > 0) configs.setCluster(given, auditInfoFrom(headers, caller));
      return replyToWrite();
    },
    history: ({ params, query }) => configs.history(params.dataSource, query),
    progress({ query: { dataSource } }) {
      if (!dataSource) throw noDataSource();
      const remaining = compaction
        .statuses(dataSource)
        .map(({ bytesAwaitingCompaction }) => Number(bytesAwaitingCompaction));
      return { remainingSegmentSize: remaining.reduce((sum, bytes) => sum + bytes, 0) };
    },
    status: ({ query: { dataSource } }) => ({
      latestStatus: compaction.statuses(dataSource || undefined),
    }),
    run() {
      compaction.run();
      return undefined;
    },
    simulate: ({ body }) => simulate(body),
    isSupervised: () => configs.cluster().useSupervisors,
    getCluster: () => configs.shownCluster(),
    setCluster({ body, headers, caller }) {
      configs.setCluster(body, auditInfoFrom(headers, caller));
      return replyToWrite();
    },
    supervisedStatus: () => ({ latestStatus: compaction.statuses() }),
    supervisedStatusOf({ params: { dataSource } }) {
      const [status] = compaction.statuses(dataSource);
      if (!status) throw noDataSource();
      return status;
    },
    listSupervised: () => ({ compactionConfigs: configs.list() }),
    getSupervised: ({ params }) => configs.get(params.dataSource),
    setSupervised({ params: { dataSource }, body, headers, caller }) {
      if (body.dataSource !== dataSource) throw otherDataSource(body.dataSource, dataSource);
      return set(body, auditInfoFrom(headers, caller));
    },
    removeSupervised: ({ params, headers, caller }) =>
      remove(params.dataSource, auditInfoFrom(headers, caller)),
    supervisedHistory: ({ params, query }) => ({
      entries: configs.history(params.dataSource, query),
    }),
    simulateSupervised: ({ body }) => simulate(body),
  };
}

// The real engine refuses only counts beyond 32 bits.
function checkSlots(max: number | undefined, { fewestCompactionSlots }: Dialect): void {
  if (max === undefined) return;
  if (fewestCompactionSlots === 'any' && (max > maxInteger || max < -maxInteger - 1))
    throw beyondInteger();
  if (fewestCompactionSlots === 'one' && (max < 1 || max > maxInteger))
    throw slotsOutside(max, maxInteger);
}

const maxInteger = 2_147_483_647;
