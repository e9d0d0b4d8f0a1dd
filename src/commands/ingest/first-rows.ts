// Beginning of an input file, as far as needed to guess its columns.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../cli/process/errors.ts';
import { commandLine } from '../../model/shell-text.ts';

const beginningBytes = 1024 * 1024;

export interface LocalFile {
  readonly path: string; // as given on the command line
  readonly sizeBytes: number;
  readonly isGzip: boolean;
}

/** Describes an input file; throws a usage error when the path is not a file. */
export async function inputFile(path: string): Promise<LocalFile> {
  try {
    const info = await stat(path);
    if (info.isDirectory())
      throw new UsageError(
        `[${path}] is a folder`,
        `give its files: ${commandLine`svcctl ingest files ${path.replace(/\/+$/, '')}`}/*`,
      );
    return { path, sizeBytes: info.size, isGzip: await beginsAsGzip(path) };
  } catch (error) {
    throw error instanceof UsageError ? error : cannotBeRead(path, error);
  }
}

/** The text of a file, decompressed, in chunks of bytes. */
export function contentOf({ path, isGzip }: LocalFile): AsyncIterable<Buffer> {
  const file = createReadStream(path);
  if (!isGzip) return file;
  const text = createGunzip();
  file.on('error', (error) => text.destroy(error));
  return file.pipe(text);
}

/** The first whole lines of a file, without line ends. */
export async function firstLines(file: LocalFile): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of contentOf(file)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= beginningBytes) break;
    }
  } catch (error) {
    throw cannotBeRead(file.path, error);
  }
  const lines = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  if (size >= beginningBytes && lines.length > 1) lines.pop(); // the last one may be incomplete
  return lines.filter((line) => line.trim() !== '');
}

async function beginsAsGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(2), position: 0 });
    return buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

function cannotBeRead(path: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(
    code === 'ENOENT'
      ? `File [${path}] does not exist`
      : `File [${path}] cannot be read: ${message}`,
  );
}
