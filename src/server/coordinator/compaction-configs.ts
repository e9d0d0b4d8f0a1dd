// Compaction configurations of all datasources, and their shared settings (Druid:
// CoordinatorConfigManager).
import type {
  ClusterCompactionConfig,
  CompactionChange,
  CompactionConfig,
  CompactionSettings,
} from '../../contract/compaction.ts';
import { asDouble, formatJson, parseJson } from '../../model/json.ts';
import { checkNameLength } from '../checks/name-length.ts';
import {
  auditHistory,
  type HistoryParts,
  type HistoryQuery,
} from '../configuration/audit-history.ts';
import { completeCompactionConfig } from '../configuration/compaction-config.ts';
import { unmaskDocument } from '../handlers/masks.ts';
import { compactionEngines } from '../ingestion/compaction-spec.ts';
import { type AuditInfo, addAuditEntry } from '../storage/audit.ts';
import {
  deleteCompactionConfig,
  findCompactionConfig,
  listCompactionConfigs,
  setCompactionConfig,
} from '../storage/compaction-configs.ts';
import { findConfig, setConfig } from '../storage/config.ts';
import type { Transaction } from '../storage/metadata.ts';
import { type CompactionPolicy, completePolicy } from './compaction-policy.ts';
import { intervalInQuery } from './given-interval.ts';
import { auditUnreadable, noCompactionConfig, unknownEngine } from './refusals.ts';

/** Compaction settings shared by all datasources, with defaults. */
export type ClusterCompaction = {
  readonly compactionTaskSlotRatio: number;
  readonly maxCompactionTaskSlots: number;
  readonly useAutoScaleSlots: boolean;
  readonly compactionPolicy: CompactionPolicy;
  readonly useSupervisors: boolean;
  readonly engine: string;
  readonly storeCompactionStatePerSegment: boolean;
};

export class CompactionConfigs {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** All configurations, sorted by datasource. */
  list(): CompactionConfig[] {
    return listCompactionConfigs<CompactionConfig>(this.#parts.metadata);
  }

  /** The configuration of a datasource; undefined if there is none. */
  find(dataSource: string): CompactionConfig | undefined {
    return findCompactionConfig<CompactionConfig>(this.#parts.metadata, dataSource);
  }

  /** The configuration of a datasource; refuses a datasource without one. */
  get(dataSource: string): CompactionConfig {
    const found = this.find(dataSource);
    if (!found) throw noCompactionConfig();
    return found;
  }

  cluster(): ClusterCompaction {
    return clusterIn(this.#parts.metadata);
  }

  /** In the interface's form: the ratio is a double. */
  shownCluster(): ClusterCompactionConfig {
    const { useAutoScaleSlots, ...cluster } = toReply(this.cluster());
    return this.#obeys('useAutoScaleSlots') ? { ...cluster, useAutoScaleSlots } : cluster;
  }

  /** Refuses the same configurations as `completeCompactionConfig` and `unmaskDocument`. */
  set(given: CompactionConfig, auditInfo: AuditInfo): void {
    checkNameLength(given.dataSource, 'dataSource');
    const config = completeCompactionConfig(unmaskDocument(given, this.find(given.dataSource)));
    this.#change(auditInfo, (tx) => setCompactionConfig(tx, config.dataSource, config));
  }

  /** Refuses a datasource without a configuration. */
  remove(dataSource: string, auditInfo: AuditInfo): void {
    this.get(dataSource);
    this.#change(auditInfo, (tx) => deleteCompactionConfig(tx, dataSource));
  }

  /** Changes the fields that are present and not null. Refuses an invalid policy. */
  setCluster(given: ClusterCompactionConfig, auditInfo: AuditInfo): void {
    const known = Object.entries(completeCluster(given)).filter(
      ([name, value]) => name in defaultCluster && value !== null && this.#obeys(name),
    );
    this.#change(auditInfo, (tx) =>
      setConfig(tx, key, { ...clusterIn(tx), ...Object.fromEntries(known) }),
    );
  }

  /**
   * Authors and times of changes to the configuration of a datasource or to the shared settings;
   * changes of other datasources are left out. Refuses a malformed interval, and a count below one.
   */
  history(dataSource: string, query: HistoryQuery): CompactionChange[] {
    if (query.interval !== undefined) intervalInQuery(query.interval);
    if (
      this.#parts.dialect.historyCount === 'notFound' &&
      query.count !== undefined &&
      query.count < 1 &&
      query.interval === undefined
    )
      throw auditUnreadable();
    const changes: CompactionChange[] = [];
    let last = '';
    for (const { payload, auditInfo, auditTime } of auditHistory(
      this.#parts,
      { type: key, key },
      query,
    )) {
      const { compactionConfigs, ...global } = parseJson(payload ?? 'null') as CompactionSettings;
      const compactionConfig =
        compactionConfigs.find((config) => config.dataSource === dataSource) ?? null;
      const now = formatJson({ compactionConfig, global });
      if (now === last || (changes.length === 0 && compactionConfig === null)) continue;
      last = now;
      changes.push({
        globalConfig: toReply({ ...defaultCluster, ...global } as ClusterCompaction),
        compactionConfig,
        auditInfo,
        auditTime,
      });
    }
    return changes;
  }

  // Newer releases of the real engine cannot add slots.
  #obeys(name: string): boolean {
    return name !== 'useAutoScaleSlots' || this.#parts.dialect.autoScaleSlots === 'obeyed';
  }

  // The history stores the whole configuration, as in the real engine; an equal one is not a
  // change.
  #change(auditInfo: AuditInfo, change: (tx: Transaction) => unknown): void {
    this.#parts.metadata.transaction((tx) => {
      const before = formatJson(whole(tx));
      change(tx);
      const payload = formatJson(whole(tx));
      if (payload !== before)
        addAuditEntry(tx, { key, type: key, auditInfo, payload, timeMs: this.#parts.now() });
    });
  }
}

const key = 'coordinator.compaction.config';

const defaultCluster: ClusterCompaction = {
  compactionTaskSlotRatio: 0.1,
  maxCompactionTaskSlots: 2_147_483_647,
  useAutoScaleSlots: false,
  compactionPolicy: { type: 'newestSegmentFirst', priorityDatasource: null },
  useSupervisors: true,
  engine: 'native',
  storeCompactionStatePerSegment: true,
};

/** The settings with a complete policy. Refuses an invalid policy and an unknown engine. */
export function completeCluster(given: ClusterCompactionConfig): ClusterCompactionConfig {
  const { compactionPolicy } = given;
  const engine = given.engine?.toLowerCase();
  if (engine !== undefined && !compactionEngines.includes(engine)) throw unknownEngine(engine);
  return {
    ...given,
    ...(engine !== undefined && { engine }),
    ...(compactionPolicy && { compactionPolicy: completePolicy(compactionPolicy) }),
  };
}

// An unknown policy, stored by another version, is replaced by the default.
function clusterIn(tx: Transaction): ClusterCompaction {
  const stored = { ...defaultCluster, ...findConfig<ClusterCompaction>(tx, key) };
  // A double that is written as a long integer is read as a bigint.
  const compactionTaskSlotRatio = Number(stored.compactionTaskSlotRatio);
  const cluster = { ...stored, compactionTaskSlotRatio };
  try {
    return { ...cluster, compactionPolicy: completePolicy(cluster.compactionPolicy) };
  } catch {
    return { ...cluster, compactionPolicy: defaultCluster.compactionPolicy };
  }
}

const whole = (tx: Transaction) => ({
  compactionConfigs: listCompactionConfigs<CompactionConfig>(tx),
  ...clusterIn(tx),
});

const toReply = (cluster: ClusterCompaction): ClusterCompaction => ({
  ...cluster,
  compactionTaskSlotRatio: asDouble(cluster.compactionTaskSlotRatio),
});
