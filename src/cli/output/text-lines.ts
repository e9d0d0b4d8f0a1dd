// Text as a list of its lines, for output formats that need a list.
import { columnsOf } from '../lists/columns.ts';

export const lineColumns = columnsOf<string>({ line: (line) => line });

/** The lines of a text as they arrive, without line breaks; the last one may lack its own. */
export async function* linesIn(
  chunks: Iterable<string> | AsyncIterable<Uint8Array>,
): AsyncIterable<readonly string[]> {
  const decoder = new TextDecoder();
  let begun = '';
  for await (const chunk of chunks) {
    const lines = (
      begun + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    ).split('\n');
    begun = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (begun !== '') yield [begun];
}
