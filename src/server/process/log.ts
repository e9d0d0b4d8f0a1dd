// Log of the service on standard error.
import { inspect } from 'node:util';
import { formatJson } from '../../model/json.ts';
import { visibleLine, visibleText } from '../../model/visible-text.ts';

export type LogFormat = 'text' | 'json';

let format: LogFormat = 'text';

/**
 * Sets the format of entries: text, or one JSON object per line with `time`, `level`, `message` and
 * further fields.
 */
export function logAs(wanted: LogFormat): void {
  format = wanted;
}

/** Logs an error in the background that is not reported to a caller. */
export function logError(error: unknown): void {
  const { message, name, stack } = error instanceof Error ? error : new Error(String(error));
  if (format === 'json') entry('error', message, { error: name, stack });
  else process.stderr.write(`${linesOf(inspect(error))}\n`);
}

/** Logs a condition that the operator can fix, in one sentence. */
export function logTrouble(sentence: string): void {
  if (format === 'json') entry('error', sentence, {});
  else process.stderr.write(`${linesOf(sentence)}\n`);
}

/** Logs a condition that an operator should know, although the service continues. */
export function logWarning(message: string): void {
  if (format === 'json') entry('warning', message, {});
  else process.stderr.write(`${linesOf(`warning: ${message}`)}\n`);
}

/**
 * Logs a bug of the service: a request failed with an unexpected error. The client gets no details.
 */
export function logInternalError(error: unknown): void {
  internalErrorCount++;
  const { message, name, stack } = error instanceof Error ? error : new Error(String(error));
  if (format === 'json') entry('error', message, { error: name, stack, internal: true });
  else console.error('Internal error:', error);
}

/** Number of internal errors that this process has logged. */
export const internalErrors = (): number => internalErrorCount;

let internalErrorCount = 0;

/**
 * Logs an event in the life of the service. The text format omits it, because people see it anyway.
 */
export function logEvent(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (format === 'json') entry('info', message, fields);
}

// Messages contain names of users: escape control characters of terminals and line breaks, so that
// a message stays one entry.
const linesOf = (entry: string) =>
  entry
    .split('\n')
    .map((line, at) => (at > 0 && /^\S/.test(line) ? `  ${visibleLine(line)}` : visibleLine(line)))
    .join('\n');

function entry(
  level: 'info' | 'warning' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  process.stderr.write(
    `${visibleText(formatJson({ time: new Date().toISOString(), level, message, ...fields }))}\n`,
  );
}
