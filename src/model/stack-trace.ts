// Stack traces of Java in messages of the service.

/** The message without the lines of a stack trace. Lines with other causes are kept. */
export const withoutStackTrace = (message: string): string => message.replace(traceLines, '');

const traceLines = /\n\t(?:at |\.\.\. \d+ )[^\n]*/g;
