// Verdict on an attack: how it ended, and the state of the service meanwhile.
import { isDeepStrictEqual } from 'node:util';
import type { Ending } from './attack.ts';
import type { Ended } from './send.ts';
import { type Measured, maxBytes, secret } from './watched.ts';

export const bounds = {
  healthP99Ms: 250,
  healthMaxMs: 1000, // of a single attack; the machine's own delay is added
  smallMaxMs: 1000,
  memoryBytes: maxBytes,
};

/**
 * Faults of a reply: none when it is one of the endings that were expected, and shows nothing that
 * replies must not show.
 */
export function faultsOfReply(ended: Ended, expected: readonly Ending[]): string[] {
  const faults: string[] = [];
  const { status, text } = ended;
  const shown = text.slice(0, 400);
  if (!expected.some((ending) => fits(ended, ending)))
    faults.push(`Ended with [${status}] ${shown}, expected ${expected.map(wordsOf).join(' or ')}`);
  if (/internal error/i.test(text)) faults.push(`Internal error: ${shown}`);
  if (stack.test(text)) faults.push(`A stack is shown: ${shown}`);
  if (text.includes(secret)) faults.push(`The server's secret is shown: ${shown}`);
  return faults;
}

/** Faults of the service while an attack ran, and right after. */
export function faultsOfService(measured: Measured, said: string): string[] {
  const { healthMs, smallMs, lateMs, peakBytes, isKilled, faults } = measured;
  const late = Math.max(0, ...lateMs);
  const healthMax = Math.max(0, ...healthMs);
  const smallMax = Math.max(0, ...smallMs);
  const errors = errorsIn(said);
  return [
    ...(healthMax > bounds.healthMaxMs + late
      ? [`Health of the service took ${healthMax} ms; the machine was late by ${late} ms`]
      : []),
    ...(smallMax > bounds.smallMaxMs + late
      ? [`A small query took ${smallMax} ms; the machine was late by ${late} ms`]
      : []),
    ...(peakBytes > bounds.memoryBytes ? [`Memory grew to ${megabytes(peakBytes)} MB`] : []),
    ...(isKilled ? ['Memory grew so much that the service had to be killed'] : []),
    ...(faults.length > 0
      ? [`Another client was refused ${faults.length} times: ${faults[0]}`]
      : []),
    ...(errors.length > 0 ? [`The log has errors: ${errors[0]?.slice(0, 600)}`] : []),
    ...(said.includes(secret) ? ["The server's secret is in the log"] : []),
  ];
}

export const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2);

const stack = /\n\s+at .*[:(]\d+:\d+|node:internal|\.ts:\d+|main\.cjs:\d+/;

// An error of the log is a bug. A query that ends after its first rows can say so only in the log.
const errorsIn = (said: string) =>
  said.split('\n').filter((line) => isError.test(line) && !endOfQuery.test(line));
const isError = /"level":"error"|^\s+at .*:\d+:\d+/;
const endOfQuery = /"message":"(Query timeout|Query cancelled|Not enough memory)/;

function fits({ status, text }: Ended, ending: Ending): boolean {
  switch (ending.kind) {
    case 'refused':
      return ending.statuses.includes(status) && (ending.says?.test(text) ?? text !== '');
    case 'rows':
      return status === 200 && isDeepStrictEqual(parsed(text), ending.rows);
    case 'answered':
      return (
        status >= 200 && status < 300 && ending.matches.test(text) && !ending.lacks?.test(text)
      );
    case 'held':
      return status === -1;
  }
}

function wordsOf(ending: Ending): string {
  switch (ending.kind) {
    case 'refused':
      return `refusal ${ending.statuses.join('/')}${ending.says ? ` ${ending.says}` : ''}`;
    case 'rows':
      return `rows ${JSON.stringify(ending.rows).slice(0, 100)}`;
    case 'answered':
      return `an answer like ${ending.matches}${ending.lacks ? ` without ${ending.lacks}` : ''}`;
    case 'held':
      return 'an open connection';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
