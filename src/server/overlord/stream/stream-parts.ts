// Dependencies of stream tasks.
import type { Engine } from '../../engine/engine.ts';
import type { Outside } from '../../ingestion/outside.ts';
import type { RealtimeRows } from '../../segments/realtime-rows.ts';
import type { Metadata } from '../../storage/metadata.ts';
import type { SegmentStore } from '../../storage/segment-store.ts';
import type { OpenReadStream, RunningStreamTasks } from './stream.ts';

/** The parts of the service; `now` in milliseconds since 1970. */
export interface StreamParts {
  readonly metadata: Metadata;
  readonly engine: Engine;
  readonly segments: SegmentStore;
  readonly realtime: RealtimeRows;
  readonly running: RunningStreamTasks;
  readonly openStream: OpenReadStream;
  readonly outside: Outside;
  readonly now: () => number;
}
