// Ids named by a part of them.

/** The ids that begin or end with a part. */
export const beginningOrEndingWith = (part: string, ids: readonly string[]): readonly string[] =>
  ids.filter((id) => id.startsWith(part) || id.endsWith(part));
