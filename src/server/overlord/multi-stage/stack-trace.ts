// Stack trace of an error for reports of failed queries (the specification, "status.errorReport").

/**
 * The class and message of an error, and the service's functions on its stack, innermost first.
 * Files are relative to the package, so that the trace does not reveal the installation path.
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
const longestFrame = 500; // characters: a longer line belongs to the message

// V8 writes `at name (place)`, or `at place` for a function without a name. Lines of the message do
// not match.
function frameIn(line: string): string[] {
  const [, named, inside, alone] =
    /^at (?:async )?(?:(.+) \((.+:\d+):\d+\)|(\S+:\d+):\d+)$/.exec(line) ?? [];
  const place = inside ?? alone;
  if (place === undefined || place.startsWith('node:')) return [];
  const file = place.slice(Math.max(place.lastIndexOf('/'), place.lastIndexOf('\\')) + 1);
  return [`${named ?? 'anonymous'}(${file})`];
}
