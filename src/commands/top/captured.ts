// Output of another command as lines, for a panel of the live screen.
import { Writable } from 'node:stream';
import type { Command, Context } from '../../cli/command/command.ts';
import { connectionOf } from '../../cli/command/connection.ts';
import type { CommandInput } from '../../cli/execution.ts';
import { createOutput } from '../../cli/output/output.ts';
import { reportError } from '../../cli/output/report-error.ts';
import type { Io } from '../../cli/process/io.ts';
import type { Resolved } from '../../cli/profiles/settings.ts';
import { beginningOf, cellsOf } from '../../cli/terminal/width.ts';
import { visibleLine } from '../../model/visible-text.ts';

const mostBytes = 4 * 1024 * 1024; // of the newest output

/**
 * Runs a command as on a terminal of the given width, without colours and without questions. Its
 * messages and errors are part of the lines. Changes go to the journal, as those of any command.
 */
export async function linesOf(
  context: Context,
  command: Command,
  input: CommandInput,
  columns: number,
): Promise<readonly string[]> {
  const { settings, env } = quietSettings(context);
  const { sink, text } = collector(columns);
  const io = {
    argv: [],
    env,
    stdin: context.io.stdin,
    stdout: sink,
    stderr: sink,
  } as unknown as Io;
  const resolved: Resolved = { ...context.resolved, settings };
  const out = createOutput({ ...settings, color: false, paging: false, quiet: false }, io);
  const writes = (command.writes ?? 'none') !== 'none';
  const { call } = writes
    ? connectionOf(resolved, io, { ask: context.ask, signal: context.signal, writes: true })
    : context;
  const inner: Context = { ...context, call, io, out, resolved, settings, confirm: async () => {} };
  try {
    await command.run(inner, input);
  } catch (error) {
    reportError(error, command.hints ?? {}, io, settings);
  }
  await out.close();
  return text()
    .trimEnd()
    .split('\n')
    .flatMap((line) => foldLine(visibleLine(line.replaceAll('\t', '  ')), columns));
}

/** A long line, such as one of a log, in several. */
function foldLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (cellsOf(rest) > columns) {
    const first = beginningOf(rest, columns);
    lines.push(first);
    rest = rest.slice(first.length);
  }
  return [...lines, rest];
}

// A panel has its own format; messages of the journal would disturb the screen.
function quietSettings({ resolved, settings, io }: Context) {
  const plain = {
    ...settings,
    output: undefined,
    columns: undefined,
    sort: undefined,
    where: undefined,
    limit: undefined,
    query: undefined,
    noColor: true,
    quiet: true,
  };
  return { resolved, settings: plain, env: { ...io.env, NO_COLOR: '1' } };
}

function collector(columns: number) {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > 2 * mostBytes) {
        chunks = [Buffer.concat(chunks).subarray(-mostBytes)];
        bytes = mostBytes;
      }
      done();
    },
  });
  return {
    sink: Object.assign(writable, { isTTY: true, columns, rows: 30 }),
    text: () => Buffer.concat(chunks).toString(),
  };
}
