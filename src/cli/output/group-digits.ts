/** A number with thousands separators, from five digits on: a year stays as it is. */
export function groupDigits(number: number | bigint | string): string {
  const text = String(number);
  const end = /^-?\d+/.exec(text)?.[0].length ?? 0;
  const start = text.startsWith('-') ? 1 : 0;
  if (end - start < 5 || /e/i.test(text)) return text;
  let grouped = '';
  for (let at = start; at < end; at++)
    grouped += (at > start && (end - at) % 3 === 0 ? ',' : '') + text[at];
  return text.slice(0, start) + grouped + text.slice(end);
}

/** Whether a value is an amount. Numbers that are names are read and copied as a whole. */
export const isAmount = (name: string, value: unknown): value is number | bigint =>
  (typeof value === 'number' || typeof value === 'bigint') && mayBeAmount(name);

/** Whether the numbers of a column are amounts, by its name. */
export const mayBeAmount = (name: string): boolean => !namesThings.test(name);

const namesThings = /(^|[a-z_])(id|port|pid|version|year|code|hash|number)s?$/i;
