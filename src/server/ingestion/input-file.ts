/** A file to read. `name` is what messages call it; `path` is where it is. */
export interface InputFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly longestLine?: number; // in bytes, if known
  readonly state?: string; // of a file outside the service, to detect changes
}
