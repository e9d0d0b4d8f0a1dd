// Rows of the tables of the schema sys, before conversion to text.
import type { SegmentRecord } from '../storage/segments.ts';

export interface ListedProperty {
  readonly server: string;
  readonly serviceName: string;
  readonly role: string;
  readonly property: string;
  readonly value: string;
}

export interface ListedSegment {
  readonly record: SegmentRecord;
  readonly isOvershadowed: boolean;
  readonly isRealtime?: boolean; // rows of a stream, not published yet
  readonly isServed: boolean;
  readonly replicationFactor: number; // -1 until a rule has been evaluated
}

export interface ListedServer {
  readonly server: string;
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly type: string;
  readonly tier: string | null;
  readonly sizeBytes: number;
  readonly maxSizeBytes: number;
  readonly storageBytes: number; // of the locations of the segment cache
  readonly isLeader: boolean | null;
  readonly startMs: number;
  readonly version: string;
  readonly processors: number;
  readonly memoryBytes: number;
}

export interface ListedSupervisor {
  readonly id: string;
  readonly dataSource: string;
  readonly state: string;
  readonly detailedState: string;
  readonly healthy: boolean;
  readonly type: string;
  readonly source: string;
  readonly suspended: boolean;
  readonly spec: unknown;
}
