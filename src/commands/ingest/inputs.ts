// Inputs of `ingest files`: files, folders, patterns, URLs and stdin.
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Context } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { quoteWord } from '../../model/shell-text.ts';
import { zipEntries } from './zip-entries.ts';

export interface Input {
  readonly path: string; // as given on the command line, or found in a folder
  readonly sizeBytes: number;
  readonly kind: 'file' | 'stdin' | 'url';
  readonly packing: Packing;
  readonly isList?: true; // a JSON list, whose content here has an item on each line
  /** The content, decompressed, in chunks of bytes. `count` receives the bytes that were read. */
  content(count?: (bytes: number) => void): AsyncIterable<Uint8Array>;
}

type Packing = 'none' | 'gzip' | 'zip' | 'zstd';

/** The largest zip archive. More of stdin is kept in a temporary file. */
const mostBytesInMemory = 64 * 1024 * 1024;

/** The inputs of the paths on the command line. Throws UsageError for one that cannot be read. */
export async function inputsOf(
  paths: readonly string[],
  { io, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<readonly [Input, ...Input[]]> {
  const inputs: Input[] = [];
  for (const path of paths) {
    if (path === '-') inputs.push(await stdinInput(io.stdin));
    else if (/^https?:\/\//i.test(path)) inputs.push(urlInput(path, io.env, signal));
    else for (const file of await filesAt(path)) inputs.push(await fileInput(file));
  }
  const [first, ...others] = inputs;
  if (!first) throw new UsageError('The path of a file is missing');
  if (others.some(({ kind }) => (kind === 'url') !== (first.kind === 'url')))
    throw new UsageError('URLs and files cannot be ingested together', 'use one command for each');
  return [first, ...others];
}

// A folder stands for its files, a pattern for the files that match it.
async function filesAt(path: string): Promise<readonly string[]> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(info instanceof Error)) return info.isDirectory() ? filesIn(path) : [path];
  if (!/[*?[]/.test(path)) throw cannotBeRead(path, info);
  const parts = path.split('/');
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => /[*?[]/.test(part)),
  );
  const root = fixed.join('/') || (path.startsWith('/') ? '/' : '.');
  const matches = patternOf(parts.slice(fixed.length).join('/'));
  const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) =>
      matches.test(root === '.' ? file : file.slice(root.length).replace(/^\//, '')),
    )
    .sort();
  if (files.length === 0) throw new UsageError(`No file matches pattern [${path}]`);
  return files;
}

// Names that begin with a dot or with `_` (_SUCCESS) belong to other programs: they are left out.
async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile() && !/^[._]/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new UsageError(`Folder [${folder}] has no files`);
  return files;
}

// `*` and `?` stay in a folder, `**` does not.
function patternOf(pattern: string): RegExp {
  const source = pattern.replace(
    /\*\*\/?|\*|\?|\[!?([^\]]+)\]|[\\^$.|+(){}[\]]/g,
    (part, letters: string | undefined) => {
      if (part === '**/' || part === '**') return part === '**' ? '.*' : '(?:.*/)?';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      if (letters === undefined) return `\\${part}`;
      return `[${part.startsWith('[!') ? '^' : ''}${letters.replace(/[\\^\]]/g, '\\$&')}]`;
    },
  );
  return new RegExp(`^${source}$`, 's');
}

async function fileInput(path: string): Promise<Input> {
  if (/\.(?:xlsx?|xlsm|ods)$/i.test(path))
    throw new UsageError(
      `[${path}] is a spreadsheet, which is not read`,
      'save its sheet as CSV, and give that file',
    );
  try {
    const { size } = await stat(path);
    const packing = packingOf(await firstBytes(path));
    const content: Input['content'] = (count) =>
      unpacked(path, packing, size, () => counted(createReadStream(path), count));
    return { path, sizeBytes: size, kind: 'file', packing, content };
  } catch (error) {
    throw cannotBeRead(path, error);
  }
}

async function stdinInput(stdin: Context['io']['stdin']): Promise<Input> {
  if (stdin.isTTY)
    throw new UsageError(
      'Standard input is the terminal, so there is nothing to ingest',
      'give a file, or redirect one: < FILE',
    );
  const chunks = stdin as AsyncIterable<Uint8Array>;
  const { sizeBytes, read } = await keep(chunks);
  const packing = packingOf(await beginning(read()));
  const content: Input['content'] = (count) =>
    unpacked('-', packing, sizeBytes, () => counted(read(), count));
  return { path: '-', sizeBytes, kind: 'stdin', packing, content };
}

interface Kept {
  readonly sizeBytes: number;
  /** The bytes from the beginning. */
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

// Rows are read twice, so bytes that are too many for memory go to a temporary file.
async function keep(chunks: AsyncIterable<Uint8Array>): Promise<Kept> {
  const iterator = chunks[Symbol.asyncIterator]();
  const found: Uint8Array[] = [];
  let sizeBytes = 0;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    found.push(next.value);
    sizeBytes += next.value.length;
    if (sizeBytes > mostBytesInMemory) return keepInFile(found, iterator);
  }
  return { sizeBytes, read: () => found };
}

async function keepInFile(
  found: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): Promise<Kept> {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-stdin-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'rows');
  let sizeBytes = 0;
  async function* all() {
    for (const chunk of found) {
      sizeBytes += chunk.length;
      yield chunk;
    }
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      sizeBytes += next.value.length;
      yield next.value;
    }
  }
  const { pipeline } = await import('node:stream/promises');
  await pipeline(all(), createWriteStream(path, { mode: 0o600 })).catch((error: Error) => {
    throw new UsageError(
      `Standard input cannot be kept in folder [${folder}]: ${error.message}`,
      'set TMPDIR to a folder with more room, or give a file instead of -',
    );
  });
  return { sizeBytes, read: () => createReadStream(path) };
}

async function beginning(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array> {
  let found = new Uint8Array();
  for await (const chunk of chunks) {
    found = Buffer.concat([found, chunk.subarray(0, 4)]);
    if (found.length >= 4) break;
  }
  return found;
}

async function* counted(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: (bytes: number) => void = () => {},
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

// The service reads a URL itself; svcctl reads only its first rows.
function urlInput(path: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Input {
  const url = new URL(path);
  const packing: Packing = url.pathname.endsWith('.gz')
    ? 'gzip'
    : url.pathname.endsWith('.zst')
      ? 'zstd'
      : 'none';
  async function* read() {
    const { connectTo } = await import('../../client/transport.ts');
    const send = connectTo(url.origin, { env, signal });
    const reply = await send({ method: 'GET', path: url.pathname + url.search, headers: [] });
    if (reply.status >= 300)
      throw new UsageError(`URL [${path}] cannot be read: ${reply.status} ${reply.statusText}`);
    yield* reply.stream;
  }
  const content: Input['content'] = (count) =>
    unpacked(path, packing, 0, () => counted(read(), count));
  return { path, sizeBytes: 0, kind: 'url', packing, content };
}

async function* unpacked(
  path: string,
  packing: Packing,
  sizeBytes: number,
  read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    if (packing === 'none') yield* read();
    else if (packing === 'gzip' || packing === 'zstd') {
      const { pipeline, Readable } = await import('node:stream');
      const text = packing === 'gzip' ? zlib.createGunzip() : zstdReader(path);
      pipeline(Readable.from(read()), text, () => undefined); // errors reach the reader
      yield* text;
    } else {
      if (sizeBytes > mostBytesInMemory) throw tooLarge(path);
      const [entry, ...others] = zipEntries(await collect(read(), path));
      if (!entry || others.length > 0)
        throw new UsageError(
          `[${path}] has ${others.length + (entry ? 1 : 0)} files, and only archives of one file are read`,
          'unpack it, and give its files',
        );
      yield entry.isStored ? entry.bytes : await inflate(entry.bytes);
    }
  } catch (error) {
    throw cannotBeRead(path, error);
  }
}

// Node 20 has no Zstandard.
function zstdReader(path: string): Transform {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
  if (createZstdDecompress) return createZstdDecompress();
  throw new UsageError(
    `[${path}] is compressed as zst, which Node ${process.versions.node} cannot read: it needs Node 22.15 or newer`,
    `unpack it first: zstd -d --stdout ${quoteWord(path)} | svcctl ingest files - ...`,
  );
}

const inflate = (bytes: Buffer) =>
  new Promise<Buffer>((done, fail) =>
    zlib.inflateRaw(bytes, { maxOutputLength: mostBytesInMemory }, (error, text) =>
      error ? fail(error) : done(text),
    ),
  );

async function collect(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
): Promise<Buffer> {
  const found: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    found.push(chunk);
    size += chunk.length;
    if (size > mostBytesInMemory) throw tooLarge(path);
  }
  return Buffer.concat(found);
}

function packingOf([first, second, third, fourth]: Uint8Array): Packing {
  if (first === 0x1f && second === 0x8b) return 'gzip';
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return 'zstd';
  return first === 0x50 && second === 0x4b && third === 3 && fourth === 4 ? 'zip' : 'none';
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    return (await file.read({ buffer: Buffer.alloc(4), position: 0 })).buffer;
  } finally {
    await file.close();
  }
}

const tooLarge = (path: string) =>
  new UsageError(
    `[${path}] is too large to be read by svcctl`,
    'let the service read it: svcctl serve --allow-dir FOLDER, or use --source local',
  );

function cannotBeRead(path: string, error: unknown): UsageError {
  if (error instanceof UsageError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(
    code === 'ENOENT'
      ? `File [${path}] does not exist`
      : `File [${path}] cannot be read: ${message}`,
  );
}
