// Avro files in a form that the engine can read: a separate process converts their rows to lines of
// JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AvroJob, AvroOutcome } from '../avro/messages.ts';
import { Admission } from '../engine/admission.ts';
import { childEnvironment, programNamed } from '../engine/child-program.ts';
import type { MemoryWatch, WatchedProcess } from '../engine/memory-watch.ts';
import { residentBytesOf } from '../engine/process-memory.ts';
import type { InputFile } from './input-file.ts';
import type { AvroFormat, InputFormat } from './input-format.ts';
import { checkUnchanged, type InputPlace } from './input-source.ts';

/** Place for input files with processes that read them. */
export interface ReadingPlace extends InputPlace {
  readonly memory: MemoryWatch; // also counts the memory of these processes
}

/**
 * The files of an input in a form that the engine can read, with at most `maxRows` rows if set.
 * Throws an Error that names an unreadable file.
 */
export async function readableFiles(
  files: readonly InputFile[],
  format: InputFormat,
  place: ReadingPlace,
  maxRows?: number,
): Promise<readonly InputFile[]> {
  if (format.type !== 'avro_ocf' || files.length === 0) return files;
  const packed = files.find(({ path }) => /\.(gz|zst)$/.test(path));
  if (packed)
    throw new Error(
      `Cannot read [${packed.name}]: Avro compresses blocks, not files. Unpack the file`,
    );
  const leave = await processes.enter(place.signal);
  try {
    const read = await convert(files, format, place, maxRows).catch(async (error: unknown) => {
      await checkUnchanged(files);
      throw error;
    });
    await checkUnchanged(files);
    return read;
  } finally {
    leave();
  }
}

// Few processes run at once, and the others wait.
const processes = new Admission(2, 1000);

async function convert(
  files: readonly InputFile[],
  { readerSchema, binaryAsString, extractUnionsByType }: AvroFormat,
  { stagingFolder, memory, signal }: ReadingPlace,
  maxRows: number | undefined,
): Promise<InputFile[]> {
  signal.throwIfAborted();
  const outputs = files.map((file) => ({
    ...file,
    output: join(stagingFolder, `avro-${++stagedFiles}`),
  }));
  const job: AvroJob = {
    files: outputs.map(({ path, output }) => ({ path, output })),
    ...(readerSchema !== undefined && { readerSchema }),
    binaryAsString,
    extractUnionsByType,
    ...(maxRows !== undefined && { maxRows }),
    maxBytes,
  };
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMegabytes}`, programNamed('avro-process')],
    {
      env: childEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    },
  );
  let endedFor: unknown;
  const watched: WatchedProcess = {
    get memoryBytes() {
      return (child.pid !== undefined && residentBytesOf(child.pid)) || 0;
    },
    kill(reason) {
      endedFor = reason;
      child.kill('SIGKILL');
    },
  };
  memory.watch(watched, true);
  child.stdin.on('error', () => undefined); // the process has ended: its exit contains the reason
  child.stdin.end(JSON.stringify(job));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close')
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    })
    .finally(() => memory.forget(watched));
  signal.throwIfAborted();
  if (endedFor !== undefined) throw endedFor;
  const outcomes = said
    .split('\n')
    .slice(0, -1)
    .map((line): AvroOutcome => JSON.parse(line));
  return outputs.map(({ name, output }, at) => {
    const outcome = outcomes[at] ?? {
      failure: `its rows or its schema need more than [${heapMegabytes}] MB of memory`,
    };
    if ('failure' in outcome) throw new Error(`Cannot read [${name}]: ${outcome.failure}`);
    return { name, path: output, ...outcome };
  });
}

let stagedFiles = 0;

const heapMegabytes = 256;
const maxBytes = 16 * 1024 ** 3;
