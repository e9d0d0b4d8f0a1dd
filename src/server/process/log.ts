// Log of the service on standard error.
import { inspect } from 'node:util';
import { formatJson } from '../../model/json.ts';
import { visibleLine, visibleText } from '../../model/visible-text.ts';

export type LogFormat = 'text' | 'json';

let format: LogFormat = 'text';

/**
 * From now on entries are text, or one JSON object a line: `time`, `level`, `message`, and what
 * else there is to say.
 */
export function logAs(wanted: LogFormat): void {
  format = wanted;
}

/** Trouble in the background, which no caller is told of. */
export function logError(error: unknown): void {
  const { message, name, stack } = error instanceof Error ? error : new Error(String(error));
  if (format === 'json') entry('error', message, { error: name, stack });
  else process.stderr.write(`${linesOf(inspect(error))}\n`);
}

/** A condition that the operator can mend, in one sentence. */
export function logTrouble(sentence: string): void {
  if (format === 'json') entry('error', sentence, {});
  else process.stderr.write(`${linesOf(sentence)}\n`);
}

/** What an operator should know, although the service goes on. */
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

/** How many internal errors this process has logged. */
export const internalErrors = (): number => internalErrorCount;

let internalErrorCount = 0;

/**
 * What happens in the life of the service. Text is for people, who see it anyway: it leaves this
 * out.
 */
export function logEvent(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (format === 'json') entry('info', message, fields);
}

// Messages hold names of users: what a terminal obeys is shown, and an end of line begins no other
// entry.
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
