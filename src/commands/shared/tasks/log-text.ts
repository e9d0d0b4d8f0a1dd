// Reading of logs. The unit of an offset depends on the service: lines as specified, bytes in the
// real engine.
import type { Context } from '../../../cli/command/command.ts';
import { ServiceError } from '../../../client/errors.ts';
import { tasks } from '../../../contract/tasks.ts';
import { dialectOf } from '../../../model/dialect.ts';
import { poll } from '../waiting/poll.ts';
import { failureOf } from './wait-for-task.ts';

type LogContext = Pick<Context, 'call' | 'out' | 'service' | 'signal'>;

/** The last lines of a log. */
export async function* lastLines(
  context: LogContext,
  taskId: string,
  count: number,
): AsyncIterable<Uint8Array> {
  if (count === 0) return;
  if (dialectOf(context.service).logOffsetUnit === 'lines')
    return yield* await logFrom(context, taskId, -count);
  for (let size = 256 * count; ; size *= 8) {
    const end = await wholeOf(await logFrom(context, taskId, -size));
    const start = startOfLast(end, count);
    if (start > 0 || end.length < size) return yield end.subarray(start);
  }
}

export interface LogStart {
  readonly tail?: number | undefined; // lines
  readonly offset?: number | undefined; // in the unit of the service
}

/**
 * A growing log from its beginning, its last lines or an offset, until the task ends; throws when
 * the task has failed. Waits while the service is unavailable; `reached` receives the current
 * offset.
 */
export async function* growingLog(
  context: LogContext,
  taskId: string,
  { tail, offset = 0 }: LogStart,
  reached: (offset: number) => void = () => {},
): AsyncIterable<Uint8Array> {
  const unit = dialectOf(context.service).logOffsetUnit;
  const look = async () => {
    // The status is requested before the log, so a log read after the end is complete.
    const { status } = await context.call(tasks.status, { params: { taskId } });
    const hasEnded = status.statusCode !== 'RUNNING';
    const text = await logFrom(context, taskId, position).then(wholeOf, (error: unknown) => {
      // The log does not exist yet
      if (error instanceof ServiceError && error.status === 404) return Buffer.alloc(0);
      throw error;
    });
    return {
      status,
      hasEnded,
      text: hasEnded ? text : text.subarray(0, text.lastIndexOf(newline) + 1),
    };
  };
  let position = offset;
  let skips = tail;
  for await (const { status, hasEnded, text } of poll(look, context, {
    what: `Task [${taskId}] has not ended`,
  })) {
    position += unit === 'bytes' ? text.length : linesIn(text);
    reached(position);
    if (text.length > 0) {
      yield skips === undefined ? text : text.subarray(startOfLast(text, skips));
      skips = undefined;
    }
    if (status.statusCode === 'FAILED') throw failureOf(status);
    if (hasEnded) return;
  }
}

const newline = 10;

const logFrom = ({ call }: LogContext, taskId: string, offset: number) =>
  call(tasks.log, { params: { taskId }, query: { offset } });

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

function linesIn(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(newline); at !== -1; at = text.indexOf(newline, at + 1)) count++;
  return count;
}

// The start of the last lines; the final newline ends the last line.
function startOfLast(text: Buffer, count: number): number {
  let at = text.at(-1) === newline ? text.length - 1 : text.length;
  for (let left = count; left > 0; left--) {
    at = at <= 0 ? -1 : text.lastIndexOf(newline, at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}
