// Inputs and counters of row loading.
import type { Session } from '../engine/session.ts';
import type { DataSchema } from './data-schema.ts';
import type { InputFile } from './input-file.ts';
import type { RawRows, WantedFields } from './raw-rows.ts';

/** A row in the format of reports (Druid: ParseExceptionReport). */
export interface UnparseableEvent {
  readonly input: string | null;
  readonly errorType: 'unparseable' | 'processedWithError';
  readonly details: readonly string[];
  readonly timeOfExceptionMillis: number;
}

export interface RowStats {
  processed: number;
  processedBytes: number;
  processedWithError: number;
  thrownAway: number;
  unparseable: number;
}

export interface Loading {
  readonly session: Session;
  readonly files: readonly InputFile[]; // empty for rows of a datasource
  // Reads the rows into the table `raw_rows`
  readonly stage: (wanted: WantedFields) => Promise<RawRows>;
  readonly schema: DataSchema;
  readonly maxParseExceptions: number;
  readonly maxSavedParseExceptions: number;
  readonly now: () => number;
  readonly stats: RowStats; // incremented as rows are read
  readonly events: UnparseableEvent[]; // of unreadable rows, up to the limit
  readonly log: (message: string) => void;
  // Name of a row's position (counted from 0) in messages, if it is not a line of a file
  readonly placeOf?: (row: number) => string;
}
