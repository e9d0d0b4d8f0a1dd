// Input files of an ingestion.

/** A file to read: its name in messages, and its path. */
export interface InputFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly longestLine?: number; // in bytes, if known
  readonly state?: string; // of a file outside the service, to detect changes
}
