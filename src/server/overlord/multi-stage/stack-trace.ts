// The stack trace of an error, as reports of failed queries show it (the specification,
// "status.errorReport").

/**
 * The class and message of an error, and the functions of the service that it passed through,
 * innermost first. The files are those of the package, without their folders: where the service is
 * installed is not told.
 */
export function stackTraceOf(error: Error): string {
  const { name } = error.constructor;
  const frames = (error.stack ?? '')
    .split('\n')
    .flatMap((line) => (line.length > longestFrame ? [] : frameIn(line.trim())));
  return [
    `${name}: ${error.message}`,
    ...frames.slice(0, mostFrames).map((frame) => `\tat ${frame}`),
  ].join('\n');
}

const mostFrames = 20;
const longestFrame = 500; // characters: a longer line is one of the message

// V8 writes `at name (place)`, or `at place` of a function without a name. Lines of the message are
// none of these.
function frameIn(line: string): string[] {
  const [, named, inside, alone] =
    /^at (?:async )?(?:(.+) \((.+:\d+):\d+\)|(\S+:\d+):\d+)$/.exec(line) ?? [];
  const place = inside ?? alone;
  if (place === undefined || place.startsWith('node:')) return [];
  const file = place.slice(Math.max(place.lastIndexOf('/'), place.lastIndexOf('\\')) + 1);
  return [`${named ?? 'anonymous'}(${file})`];
}
