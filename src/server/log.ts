// What the service tells its operator while it runs, on standard error. A process has one such place, so there is one log.
import { formatJson } from '../model/json.ts';

export type LogFormat = 'text' | 'json';

let format: LogFormat = 'text';

/** From now on entries are text, or one JSON object a line: `time`, `level`, `message`, and what else there is to say. */
export function logAs(wanted: LogFormat): void {
  format = wanted;
}

/** What went wrong that no caller is told of: a bug, or trouble in the background. */
export function logError(error: unknown): void {
  const { message, name, stack } = error instanceof Error ? error : new Error(String(error));
  if (format === 'json') entry('error', message, { error: name, stack });
  else console.error(error);
}

/** What happens in the life of the service. Text is for people, who see it anyway: it leaves this out. */
export function logEvent(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (format === 'json') entry('info', message, fields);
}

function entry(level: 'info' | 'error', message: string, fields: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${formatJson({ time: new Date().toISOString(), level, message, ...fields })}\n`);
}
