// Outcomes of all attacks of a run, kept in a file of its own by whoever attacks, and added up at
// the end.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bounds, megabytes } from './judge.ts';
import type { Measured } from './watched.ts';

export interface Outcome {
  readonly name: string;
  readonly ending: 'refused' | 'answered' | 'stopped' | 'failed';
  readonly requests: number;
  readonly tookMs: number;
  readonly healthMs: readonly number[];
  readonly smallMs: readonly number[];
  readonly peakBytes: number;
  readonly faults: readonly string[];
  readonly repeat: string; // a line that repeats the attack
}

/** Notes how an attack ended: whatever it was, it failed when there are faults. */
export function note(
  {
    name,
    repeat,
    requests = 1,
  }: { readonly name: string; readonly repeat: string; readonly requests?: number },
  ending: 'refused' | 'answered' | 'stopped',
  tookMs: number,
  { healthMs, smallMs, peakBytes }: Pick<Measured, 'healthMs' | 'smallMs' | 'peakBytes'>,
  faults: readonly string[],
): void {
  const ended = faults.length > 0 ? 'failed' : ending;
  const outcome: Outcome = {
    name,
    ending: ended,
    requests,
    tookMs: Math.round(tookMs),
    healthMs,
    smallMs,
    peakBytes,
    faults,
    repeat,
  };
  if (process.env.HOSTILE_OUTCOMES)
    appendFileSync(process.env.HOSTILE_OUTCOMES, `${JSON.stringify(outcome)}\n`);
}

/** Notes how a test ended that is an attack by itself; for `afterEach`. */
export function noteTest({
  task,
}: {
  readonly task: {
    readonly name: string;
    readonly result?: { readonly state: string } | undefined;
  };
}): void {
  const faults = task.result?.state === 'fail' ? ['see the test'] : [];
  note(
    { name: task.name, repeat: task.name },
    'refused',
    0,
    { healthMs: [], smallMs: [], peakBytes: 0 },
    faults,
  );
}

/** All outcomes so far. */
export function outcomes(): Outcome[] {
  const lines = process.env.HOSTILE_OUTCOMES
    ? readFileSync(process.env.HOSTILE_OUTCOMES, 'utf8').split('\n')
    : [];
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** The value below which a share of all values lies; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/**
 * Prints what all attacks of a run came to, when they are over. The file that HOSTILE_OUTCOMES
 * names is kept.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-hostile-outcomes-'));
  process.env.HOSTILE_OUTCOMES ??= join(folder, 'outcomes.jsonl');
  writeFileSync(process.env.HOSTILE_OUTCOMES, '');
  return () => {
    const all = outcomes();
    console.log(summaryOf(all).join('\n'));
    rmSync(folder, { recursive: true });
    const failed = all.filter(({ ending }) => ending === 'failed').length;
    console.log(`hostile: ${all.length - failed} passed, ${failed} failed`);
  };
}

function summaryOf(all: readonly Outcome[]): string[] {
  const health = all.flatMap(({ healthMs }) => healthMs);
  const requests = all.reduce((sum, one) => sum + one.requests, 0);
  const ended = (ending: Outcome['ending']) => all.filter((one) => one.ending === ending).length;
  return [
    '',
    `${all.length} attacks, ${requests} requests: ${ended('refused')} refused as stated, ${ended('answered')} answered rightly, ${ended('stopped')} stopped as asked, ${ended('failed')} failed`,
    `health: p50 ${quantile(health, 0.5)} ms, p99 ${quantile(health, 0.99)} ms, max ${quantile(health, 1)} ms (p99 at most ${bounds.healthP99Ms} ms)`,
    `slowest small query: ${Math.max(0, ...all.map(smallMax))} ms (at most ${bounds.smallMaxMs} ms)`,
    `peak memory: ${megabytes(Math.max(0, ...all.map(({ peakBytes }) => peakBytes)))} MB (at most ${megabytes(bounds.memoryBytes)} MB)`,
    ...worst(all, 'Slowest health', (one) => Math.max(0, ...one.healthMs), 'ms'),
    ...worst(all, 'Slowest small query', smallMax, 'ms'),
    ...worst(all, 'Most memory', ({ peakBytes }) => megabytes(peakBytes), 'MB'),
    ...worst(all, 'Longest', ({ tookMs }) => tookMs, 'ms'),
  ];
}

const smallMax = ({ smallMs }: Outcome) => Math.max(0, ...smallMs);

function worst(
  all: readonly Outcome[],
  title: string,
  of: (one: Outcome) => number,
  unit: string,
): string[] {
  const ten = [...all].sort((a, b) => of(b) - of(a)).slice(0, 10);
  return [
    `${title}:`,
    ...ten.map((one) => `  ${String(of(one)).padStart(6)} ${unit}  ${one.name}`),
  ];
}
