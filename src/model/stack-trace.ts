// Stack traces of Java in messages of the service.

/** The message without the lines of a stack trace. Lines with other causes are kept. */
export const withoutStackTrace = (message: string): string => message.replace(traceLines, '');

/** The message with its first cause; a message without a stack trace is unchanged. */
export function firstCauseIn(message: string): string {
  const rest = withoutStackTrace(message);
  if (rest === message) return message;
  const lines = rest.trimEnd().split('\n');
  const at = lines.findIndex((line) => line.startsWith('Caused by: '));
  const cause = lines[at]?.replace('Caused by: ', '; caused by ') ?? '';
  return lines.slice(0, at === -1 ? undefined : at).join('\n') + cause;
}

const traceLines = /\n\t(?:at |\.\.\. \d+ )[^\n]*/g;
