// Texts of a column as bytes, for consumers that write them on in UTF-8.

export interface EncodedTexts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array; // of each row's text in the bytes; negative for null
  readonly ends: Int32Array;
}

/** The rows from `from` until `to`. */
export const rowsOfTexts = (
  { bytes, starts, ends }: EncodedTexts,
  from: number,
  to: number,
): EncodedTexts => ({ bytes, starts: starts.subarray(from, to), ends: ends.subarray(from, to) });
