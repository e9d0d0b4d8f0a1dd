// Round positions on axes and their labels.

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** The next step of 1, 2 or 5 times a power of ten that is at least as large. */
export function roundStep(rough: number): number {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365.25 * day;
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14].map((count) => count * day),
];
const monthSteps = [1, 2, 3, 6, 12];

/** The next round span of time, in milliseconds, that is at least as long. */
export function roundTimeStep(roughMs: number): number {
  if (roughMs < second) return Math.max(1, roundStep(roughMs));
  return timeSteps.find((step) => step >= roughMs) ?? roundStep(roughMs / day) * day;
}

/** At most about `count` ticks within a range of numbers. */
export function numberTicks(from: number, to: number, count: number): readonly Tick[] {
  if (from === to) return [{ at: from, label: formatNumber(from) }];
  const step = roundStep((to - from) / Math.max(1, count));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const ticks = Array.from({ length: Math.min(1000, Math.max(0, last - first + 1)) }, (_, at) => {
    const value = (first + at) * step;
    return { at: value, label: formatTick(value, step) };
  });
  return ticks;
}

/** At most about `count` ticks within a range of times, in UTC. */
export function timeTicks(from: number, to: number, count: number): readonly Tick[] {
  if (from === to) return [{ at: from, label: formatInstant(from) }];
  const rough = (to - from) / Math.max(1, count);
  const months = monthSteps.find((months) => (months * year) / 12 >= rough);
  if (rough > 14 * day)
    return calendarTicks(from, to, months ?? Math.ceil(roundStep(rough / year)) * 12);
  const step = roundTimeStep(rough);
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return Array.from({ length: Math.min(1000, Math.max(0, last - first + 1)) }, (_, at) => {
    const time = (first + at) * step;
    return { at: time, label: formatTimeTick(time, step) };
  });
}

function calendarTicks(from: number, to: number, months: number): readonly Tick[] {
  const begin = new Date(from);
  const ticks: Tick[] = [];
  const start = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / months) * months;
  for (let month = start; ticks.length < 1000; month += months) {
    const at = new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    if (!(at <= to)) return ticks;
    const text = new Date(at).toISOString();
    if (at >= from)
      ticks.push({ at, label: months % 12 === 0 ? text.slice(0, 4) : text.slice(0, 7) });
  }
  return ticks;
}

function formatTimeTick(time: number, step: number): string {
  const text = new Date(time).toISOString();
  if (step >= day || (time % day === 0 && step >= minute)) return text.slice(5, 10);
  if (step >= minute) return text.slice(11, 16);
  return step >= second ? text.slice(11, 19) : text.slice(11, 23);
}

/** A short number for an axis: 1.5M, 20k, 0.25. */
export function formatTick(value: number, step: number): string {
  const size = Math.max(Math.abs(value), step);
  if (value === 0) return '0';
  if (size >= 1e15 || Math.abs(value) < 1e-6) return value.toExponential(1);
  for (const [unit, sign] of [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const)
    if (size >= unit) return `${trimmed(value / unit, decimalsOf(step / unit))}${sign}`;
  return trimmed(value, decimalsOf(step));
}

const decimalsOf = (step: number) =>
  Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));

const trimmed = (value: number, decimals: number) => value.toFixed(Math.min(decimals, 12));

/** A number for reading: grouped, with at most six significant digits after whole numbers. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString('en-US');
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(3);
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

/** A time without parts that are zero: 2024-05-01, 2024-05-01 12:00. */
export const formatInstant = (time: number): string =>
  Math.abs(time) <= 8.64e15
    ? new Date(time)
        .toISOString()
        .replace('T', ' ')
        .replace(/(?: 00:00:00\.000|:00\.000|\.000)Z$/, '')
        .replace(/Z$/, '')
    : '-';
