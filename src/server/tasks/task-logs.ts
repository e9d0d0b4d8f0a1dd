// Log files, one per task: written as events occur, readable while the task runs.
import { closeSync, createReadStream, openSync, writeFileSync, writeSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import { visibleLine } from '../../model/visible-text.ts';
import { withPlace } from '../checks/disk-full.ts';
import { fileName } from '../storage/segment-paths.ts';

export type Level = 'INFO' | 'WARN' | 'ERROR';

export interface TaskLog {
  /**
   * Adds a line; a line break in the message is written as `\\n`. Never throws: a line that finds
   * no room is written with a later line or by `flush`.
   */
  write(level: Level, message: string): void;
  /**
   * Writes the lines that found no room so far; throws DiskFull, or another error, when writing
   * fails again.
   */
  flush(): void;
  close(): void;
}

export class TaskLogs {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Opens the log of a task for appending; each entry is a line with its time. */
  open(taskId: string): TaskLog {
    return new LogFile(
      this.#path(taskId),
      (level, message) =>
        `${visibleLine(`${formatInstant(this.#now())} ${level} [${taskId}] ${message}`)}\n`,
    );
  }

  /** Stores these lines as the log of a task. */
  keep(taskId: string, lines: readonly string[]): void {
    writeFileSync(this.#path(taskId), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  }

  /**
   * The current log of a task as a stream of text; undefined when there is none. `offset` skips
   * that many bytes or lines at the beginning; a negative value keeps that many at the end.
   */
  async read(
    taskId: string,
    offset: number,
    unit: Dialect['logOffsetUnit'],
  ): Promise<AsyncIterable<string> | undefined> {
    const path = this.#path(taskId);
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) return undefined;
    const start =
      unit === 'bytes'
        ? offset < 0
          ? Math.max(0, size + offset)
          : offset
        : await startOfLine(path, offset);
    return start >= size
      ? nothing()
      : createReadStream(path, { start, end: size - 1, encoding: 'utf8' });
  }

  remove(taskId: string): Promise<void> {
    return rm(this.#path(taskId), { force: true });
  }

  #path(taskId: string): string {
    return join(this.#folder, `${fileName(taskId)}.log`);
  }
}

class LogFile implements TaskLog {
  readonly #path: string;
  readonly #lineOf: (level: Level, message: string) => string;
  #file: number | undefined;
  #unwritten = Buffer.alloc(0);
  #isClosed = false;

  constructor(path: string, lineOf: (level: Level, message: string) => string) {
    this.#path = path;
    this.#lineOf = lineOf;
    this.#attempt();
  }

  write(level: Level, message: string): void {
    if (this.#isClosed) return;
    // The buffer of unwritten lines is limited; its beginning is the most informative part.
    if (this.#unwritten.length < maxUnwrittenBytes)
      this.#unwritten = Buffer.concat([this.#unwritten, Buffer.from(this.#lineOf(level, message))]);
    this.#attempt();
  }

  flush(): void {
    try {
      this.#file ??= openSync(this.#path, 'a', 0o600);
      while (this.#unwritten.length > 0)
        this.#unwritten = this.#unwritten.subarray(writeSync(this.#file, this.#unwritten));
    } catch (error) {
      throw withPlace(error, 'task-logs');
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#attempt();
    this.#isClosed = true;
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #attempt(): void {
    try {
      this.flush();
    } catch {
      // kept for the next attempt
    }
  }
}

const maxUnwrittenBytes = 1024 * 1024;

// The byte position of the line that `offset` selects; negative values count from the end.
async function startOfLine(path: string, offset: number): Promise<number> {
  if (offset === 0) return 0;
  const starts = [0];
  const file = await open(path);
  let position = 0;
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    for (let newline = chunk.indexOf(10); newline !== -1; newline = chunk.indexOf(10, newline + 1))
      starts.push(position + newline + 1);
    position += chunk.length;
  }
  const lines = starts.filter((start) => start < position);
  return (offset > 0 ? lines[offset] : lines[Math.max(0, lines.length + offset)]) ?? position;
}

async function* nothing(): AsyncGenerator<string> {}
