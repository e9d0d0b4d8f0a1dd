// One log file per task: written as things happen, read while the task runs.
import { closeSync, createReadStream, openSync, writeFileSync, writeSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import { fileName } from '../storage/segment-paths.ts';

export type Level = 'INFO' | 'WARN' | 'ERROR';

export interface TaskLog {
  write(level: Level, message: string): void;
  close(): void;
}

export class TaskLogs {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** The log of a task, to add to; each entry is a line with its time. */
  open(taskId: string): TaskLog {
    let file: number | undefined = openSync(this.#path(taskId), 'a', 0o600);
    return {
      write: (level, message) => {
        if (file !== undefined) writeSync(file, `${formatInstant(this.#now())} ${level} [${taskId}] ${message}\n`);
      },
      close: () => {
        if (file !== undefined) closeSync(file);
        file = undefined;
      },
    };
  }

  /** Makes these lines the log of a task. */
  keep(taskId: string, lines: readonly string[]): void {
    writeFileSync(this.#path(taskId), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  }

  /**
   * What is in a task's log so far, as a stream of text; undefined when there is none. `offset` skips that many bytes or lines of the beginning;
   * a negative one keeps that many of the end.
   */
  async read(taskId: string, offset: number, unit: Dialect['logOffsetUnit']): Promise<AsyncIterable<string> | undefined> {
    const path = this.#path(taskId);
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) return undefined;
    const start = unit === 'bytes' ? (offset < 0 ? Math.max(0, size + offset) : offset) : await startOfLine(path, offset);
    return start >= size ? nothing() : createReadStream(path, { start, end: size - 1, encoding: 'utf8' });
  }

  remove(taskId: string): Promise<void> {
    return rm(this.#path(taskId), { force: true });
  }

  #path(taskId: string): string {
    return join(this.#folder, `${fileName(taskId)}.log`);
  }
}

// The byte at which the line starts that `offset` means; negative ones count from the end.
async function startOfLine(path: string, offset: number): Promise<number> {
  if (offset === 0) return 0;
  const starts = [0];
  const file = await open(path);
  let position = 0;
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    for (let newline = chunk.indexOf(10); newline !== -1; newline = chunk.indexOf(10, newline + 1)) starts.push(position + newline + 1);
    position += chunk.length;
  }
  const lines = starts.filter((start) => start < position);
  return (offset > 0 ? lines[offset] : lines[Math.max(0, lines.length + offset)]) ?? position;
}

async function* nothing(): AsyncGenerator<string> {}
