// Messages between the service and an Avro process: a job on standard input, one JSON line per file
// on standard output.

export interface AvroJob {
  readonly files: readonly { readonly path: string; readonly output: string }[];
  readonly readerSchema?: unknown;
  readonly binaryAsString: boolean;
  readonly extractUnionsByType: boolean;
  readonly maxRows?: number; // total of all files
  readonly maxBytes: number; // total of all written files
}

/** Result of a file; results come in order. */
export type AvroOutcome =
  | { readonly sizeBytes: number; readonly longestLine: number }
  | { readonly failure: string };
