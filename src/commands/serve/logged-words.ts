// Log output for serve --log-format json: messages for stderr become log entries, so that every
// line is one.
import { Writable } from 'node:stream';
import type { Context } from '../../cli/command/command.ts';
import { progressOn } from '../../cli/output/progress.ts';

/** The context of a command with its messages redirected to `log`. */
export function withLoggedWords(context: Context, log: (message: string) => void): Context {
  const { out, io } = context;
  const stderr = new Writable({
    write(chunk, _, done) {
      for (const line of String(chunk).split('\n')) if (line !== '') log(line);
      done();
    },
  });
  return {
    ...context,
    out: { ...out, note: log, warn: log, changed: (_, sentence) => log(sentence) },
    progress: progressOn({ stderr, env: io.env }, {}),
  };
}
