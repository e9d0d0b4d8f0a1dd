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
