// Messages between the service and an Avro process: a job on standard input, one JSON line per file
// on standard output.

export interface AvroJob {
  readonly files: readonly { readonly path: string; readonly output: string }[];
  readonly readerSchema?: unknown;
  readonly binaryAsString: boolean;
  readonly extractUnionsByType: boolean;
  readonly maxRows?: number; // of all files
  readonly maxBytes: number; // of all files that are written
}

/** What became of a file, one after the other. */
export type AvroOutcome =
  | { readonly sizeBytes: number; readonly longestLine: number }
  | { readonly failure: string };
