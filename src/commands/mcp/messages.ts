// Messages of a client, one per line, as the protocol's transport reads them from standard input.
import { CommandError } from '../../cli/process/errors.ts';

const maxMessageBytes = 8 * 1024 * 1024; // the transport itself reads 10 MB

/**
 * The lines of an input that are not empty, each as one chunk. The next line waits for `isFree`, so
 * that a client that asks faster than it is answered does not fill the memory. Throws a
 * CommandError for a line that is too long.
 */
export async function* messagesIn(
  input: AsyncIterable<Buffer>,
  isFree: () => Promise<void>,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end + 1)]);
      start = end + 1;
      parts = [];
      size = 0;
      if (isBlank(line)) continue;
      if (line.length > maxMessageBytes) throw tooLong();
      await isFree();
      yield line;
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maxMessageBytes) throw tooLong();
  }
}

const isBlank = (line: Buffer) => line.length <= 2 && line.toString().trim() === '';

const tooLong = () =>
  new CommandError(
    'usage',
    `A message is longer than ${maxMessageBytes} bytes`,
    'send large content as a file, and name the file',
  );
