// What the service and a process that reads Avro tell each other: a job on its standard input, a line of JSON for each file on its standard output.

export interface AvroJob {
  readonly files: readonly { readonly path: string; readonly output: string }[];
  readonly readerSchema?: unknown;
  readonly binaryAsString: boolean;
  readonly extractUnionsByType: boolean;
  readonly maxRows?: number; // of all files
  readonly maxBytes: number; // of all files that are written
}

/** What became of a file, one after the other. */
export type AvroOutcome = { readonly sizeBytes: number; readonly longestLine: number } | { readonly failure: string };
