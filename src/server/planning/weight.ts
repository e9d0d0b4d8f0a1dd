// Cheap bound on the planning effort, computed before the value is read.

/**
 * Whether a JSON value has at most this many values and letters, and at most this depth. Stops at
 * the first excess.
 */
export function isLight(value: unknown, { values, letters, depth }: Weight): boolean {
  let valuesLeft = values;
  let lettersLeft = letters;
  const weigh = (part: unknown, depthLeft: number): boolean => {
    valuesLeft--;
    if (typeof part === 'string') lettersLeft -= part.length;
    if (valuesLeft < 0 || lettersLeft < 0 || depthLeft < 0) return false;
    if (typeof part !== 'object' || part === null) return true;
    if (Array.isArray(part)) return part.every((item) => weigh(item, depthLeft - 1));
    for (const key in part) {
      lettersLeft -= key.length;
      if (!weigh((part as Record<string, unknown>)[key], depthLeft - 1)) return false;
    }
    return true;
  };
  return weigh(value, depth);
}

export interface Weight {
  readonly values: number;
  readonly letters: number;
  readonly depth: number;
}
