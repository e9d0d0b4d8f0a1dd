/** Milliseconds of a duration such as 90s, 1h30m, 250ms, 2d or 1w; undefined for other text. */
export function durationIn(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/.test(text)) return;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g);
  return [...parts].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (msPer[unit] ?? 0),
    0,
  );
}

const msPer: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
