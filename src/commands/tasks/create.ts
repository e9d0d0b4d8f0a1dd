import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { fileName, optional, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import type { Fields, RowSource } from '../shared/builder/sample-rows.ts';
import { schemaOptions } from '../shared/builder/schema-options.ts';

export const create = command({
  summary: 'Build the specification of a native batch task from a sample file, step by step',
  description:
    'Asks for format, time, columns, rollup and granularity, and shows parsed rows after each step. Flags answer questions beforehand; off a terminal, guesses do. Nothing is submitted: the specification goes to a file for svcctl tasks submit. The first rows of a file of this machine are sent to the sampler; the task itself reads the file where it runs.',
  examples: [
    'svcctl tasks create edits.json --into edits --out edits-task.json',
    'svcctl tasks create edits.csv --into edits --time-column time --rollup',
  ],
  endpoints: [tasks.sample],
  arguments: { file: optional(fileName, 'Sample file, or an http(s) address') },
  options: {
    into: optional(text, 'Datasource to write to (default: from the name of the file)'),
    ...schemaOptions,
  },
  completers: { into: datasourceNames },
  async run(context, { args, options: { into, out: given, ...flags } }) {
    // Loaded only here, so that help and completion stay fast.
    const [{ fileOf, textOf }, { buildSchema }, { writeSpecification }] = await Promise.all([
      import('../shared/builder/answers.ts'),
      import('../shared/builder/build-schema.ts'),
      import('../shared/builder/write-specification.ts'),
    ]);
    const file = await fileOf(context, 'Sample file, or an http(s) address:', {
      flag: 'argument file',
      given: args.file,
    });
    const { source, inputSource } = sourceOf(file);
    if (context.ask.possible && inputSource.type === 'local')
      context.out.note(
        `The task will read [${file}] where it runs; svcctl ingest files sends it from here.`,
      );
    const dataSource = await textOf(context, 'Datasource to write to:', {
      flag: '--into',
      given: into,
      guess: nameFrom(file),
    });
    const { inputFormat, dataSchema } = await buildSchema(
      context,
      dataSource,
      source,
      flags,
      formatFrom(file),
    );
    const specification = {
      type: 'index_parallel',
      spec: {
        dataSchema,
        ioConfig: { type: 'index_parallel', inputSource, inputFormat, appendToExisting: true },
        tuningConfig: { type: 'index_parallel', partitionsSpec: { type: 'dynamic' } },
      },
    };
    await writeSpecification(context, specification, {
      given,
      usual: `${dataSource}-task.json`,
      next: (written) => commandLine`svcctl tasks submit ${written} --wait=queryable`,
    });
  },
});

function sourceOf(file: string): { readonly source: RowSource; readonly inputSource: Fields } {
  const local = { type: 'local', baseDir: dirname(resolve(file)), filter: basename(file) };
  const inputSource = /^https?:\/\//.test(file) ? { type: 'http', uris: [file] } : local;
  const sampled = inputSource === local ? { type: 'inline', data: beginningOf(file) } : inputSource;
  return {
    inputSource,
    source: { type: 'index', ioConfig: { type: 'index', inputSource: sampled } },
  };
}

const sampledBytes = 256 * 1024;

// Whole lines of the beginning.
function beginningOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = firstBytes(file);
    if (file.endsWith('.gz'))
      bytes = gunzipSync(bytes, {
        finishFlush: constants.Z_SYNC_FLUSH, // the beginning of a file has no end
        maxOutputLength: longestUnpacked,
      });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? new UsageError(`File [${file}] does not exist`)
      : new UsageError(`File [${file}] cannot be read: ${(error as Error).message}`);
  }
  const beginning = bytes.subarray(0, sampledBytes).toString();
  return bytes.length <= sampledBytes
    ? beginning
    : beginning.slice(0, beginning.lastIndexOf('\n') + 1);
}

const longestUnpacked = 512 * 1024 * 1024;

function firstBytes(file: string): Buffer {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(sampledBytes + 1);
    return bytes.subarray(0, readSync(opened, bytes));
  } finally {
    closeSync(opened);
  }
}

const nameFrom = (file: string) =>
  basename(file)
    .replace(/\..*$/, '')
    .replace(/[^\w-]+/g, '_') || 'data';

function formatFrom(file: string): string {
  const name = file.replace(/\.(?:gz|zst|zip)$/, '');
  return name.endsWith('.csv') ? 'csv' : name.endsWith('.tsv') ? 'tsv' : 'json';
}
