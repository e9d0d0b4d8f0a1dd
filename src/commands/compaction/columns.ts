import { columnsOf } from '../../cli/lists/columns.ts';
import type {
  CompactionChange,
  CompactionConfig,
  CompactionStatus,
} from '../../contract/compaction.ts';

const nameIn = (value: unknown) =>
  typeof value === 'string' ? value : value ? JSON.stringify(value) : undefined;
const partitionsOf = ({ tuningConfig }: CompactionConfig) =>
  nameIn(tuningConfig?.partitionsSpec?.type);

export const configColumns = columnsOf<CompactionConfig>({
  datasource: ({ dataSource }) => dataSource,
  granularity: ({ granularitySpec }) => nameIn(granularitySpec?.segmentGranularity),
  partitions: partitionsOf,
  skipOffset: ({ skipOffsetFromLatest }) => skipOffsetFromLatest,
  priority: ({ taskPriority }) => taskPriority,
  maxRows: { value: ({ maxRowsPerSegment }) => maxRowsPerSegment, wide: true },
  inputSize: {
    value: ({ inputSegmentSizeBytes }) => inputSegmentSizeBytes,
    kind: 'bytes',
    wide: true,
  },
});

export const statusColumns = columnsOf<CompactionStatus>({
  datasource: ({ dataSource }) => dataSource,
  status: { value: ({ scheduleStatus }) => scheduleStatus, kind: 'state' },
  awaiting: { value: ({ bytesAwaitingCompaction }) => bytesAwaitingCompaction, kind: 'bytes' },
  compacted: { value: ({ bytesCompacted }) => bytesCompacted, kind: 'bytes' },
  skipped: { value: ({ bytesSkipped }) => bytesSkipped, kind: 'bytes' },
  segmentsAwaiting: ({ segmentCountAwaitingCompaction }) => segmentCountAwaitingCompaction,
  segmentsCompacted: { value: ({ segmentCountCompacted }) => segmentCountCompacted, wide: true },
  segmentsSkipped: { value: ({ segmentCountSkipped }) => segmentCountSkipped, wide: true },
  intervalsAwaiting: {
    value: ({ intervalCountAwaitingCompaction }) => intervalCountAwaitingCompaction,
    wide: true,
  },
  intervalsCompacted: { value: ({ intervalCountCompacted }) => intervalCountCompacted, wide: true },
  intervalsSkipped: { value: ({ intervalCountSkipped }) => intervalCountSkipped, wide: true },
});

export const changeColumns = columnsOf<CompactionChange>({
  time: { value: ({ auditTime }) => auditTime, kind: 'time' },
  author: ({ auditInfo }) => auditInfo.author,
  comment: ({ auditInfo }) => auditInfo.comment,
  configured: ({ compactionConfig }) => compactionConfig !== null,
  slotRatio: ({ globalConfig }) => globalConfig?.compactionTaskSlotRatio,
  maxSlots: ({ globalConfig }) => globalConfig?.maxCompactionTaskSlots,
  ip: { value: ({ auditInfo }) => auditInfo.ip, wide: true },
});
