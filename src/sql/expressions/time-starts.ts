// Columns with the start of the calendar's bucket that contains each row's time, in UTC. A table in
// order of time repeats them for thousands of rows, so that they cost nothing to read.

/** A bucket of the calendar. */
export type StartUnit = 'year' | 'month' | 'day';

/** The buckets whose starts a scan offers. */
export const startUnits: readonly StartUnit[] = ['year', 'month', 'day'];

/** The name of a column with the starts of buckets. */
export const startColumn = (unit: StartUnit): string => `__time ${unit}`;

/** The bucket of a column that `startColumn` names. */
export const startUnitOf = (name: string): StartUnit | undefined =>
  startUnits.find((unit) => startColumn(unit) === name);

/** Whether these columns have a time, and none has the name of a column with starts. */
export function haveStarts(columns: readonly { readonly name: string }[]): boolean {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return names.has('__time') && !startUnits.some((unit) => names.has(startColumn(unit)));
}
