import { fstatSync, writeSync } from 'node:fs';
import { visibleText } from '../../model/visible-text.ts';
import { CommandError } from '../process/errors.ts';

// Help, versions and completions go straight to the file descriptor: touching process.stdout loads
// streams and sockets, which costs 2 ms on a file and 5 ms on a pipe.
export function print(text: string): void {
  let rest = Buffer.from(isTerminal ? visibleText(text) : text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') process.stdout.write(rest);
    else if (code !== 'EPIPE')
      throw new CommandError('failed', `The answer cannot be written: ${message}`);
  }
}

export const isTerminal = fstatSync(1).isCharacterDevice();
