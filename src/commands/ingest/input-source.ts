// Input source of files: the service reads local files where it may, else the statement contains
// their rows.
import { resolve, sep } from 'node:path';
import type { Context } from '../../cli/command/command.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { status } from '../../contract/status.ts';
import { csvLine, recordsIn } from '../../model/delimited.ts';
import type { Guess } from './guess-columns.ts';
import { textOf } from './input-text.ts';
import type { Input } from './inputs.ts';
import type { ExternSource } from './statement.ts';

const mostInlineBytes = 4 * 1024 * 1024;

type InputContext = Pick<Context, 'call' | 'out' | 'settings'>;

interface Wanted {
  readonly source: 'inline' | 'local' | undefined;
  readonly encoding: string | undefined;
  readonly isPlain: boolean; // the service would read the same fields
}

/** Throws a usage error when the service can neither read the files nor receive them. */
export async function inputSourceOf(
  context: InputContext,
  inputs: readonly Input[],
  guess: Guess,
  { source, encoding, isPlain }: Wanted,
): Promise<ExternSource> {
  if (inputs.every(({ kind }) => kind === 'url') && source !== 'inline')
    return { type: 'http', uris: inputs.map(({ path }) => path) };
  const paths = inputs.map(({ path }) => resolve(path));
  const local = { type: 'local', files: paths } as const;
  if (source === 'local') return local;
  const folders = source === 'inline' || !isPlain ? [] : await readableFolders(context);
  const areFiles = inputs.every(
    // The service goes by the name.
    ({ kind, path, packing }) =>
      kind === 'file' && packing !== 'zip' && (packing === 'gzip') === path.endsWith('.gz'),
  );
  const isReadable = (path: string) =>
    folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  if (areFiles && paths.every(isReadable)) return local;
  if (guess.format === 'parquet') throw onlyForService(inputs);
  const data = await rowsOf(inputs, guess, encoding);
  context.out.note(
    `The rows are sent in the statement (${formatBytes(Buffer.byteLength(data))}): the service may not read the files itself.`,
  );
  return { type: 'inline', data };
}

// The folders of `serve --allow-dir`. Only a service on this machine sees the same files.
async function readableFolders({ call, settings }: InputContext): Promise<readonly string[]> {
  if (!/^(localhost|127\..*|\[::1\])$/.test(new URL(settings.url).hostname)) return [];
  try {
    const properties = await call(status.properties);
    const folders: unknown = JSON.parse(
      properties[`${settings.service}.ingestion.localFolders`] ?? '[]',
    );
    return Array.isArray(folders) ? folders.map(String) : [];
  } catch (error) {
    if (error instanceof ServiceError || error instanceof SyntaxError) return [];
    throw error;
  }
}

// The rows of all inputs, without header lines. Other delimiters become commas.
async function rowsOf(
  inputs: readonly Input[],
  { hasHeader, format, delimiter }: Guess,
  encoding: string | undefined,
): Promise<string> {
  const texts: string[] = [];
  let left = mostInlineBytes;
  for (const input of inputs) {
    const text = await textOf(input, left, encoding);
    if (text === undefined) throw tooLarge(inputs);
    left -= Buffer.byteLength(text);
    if (left < 0) throw tooLarge(inputs);
    const rows =
      format === 'csv' && delimiter !== ','
        ? [...recordsIn(text, delimiter)].map(csvLine).join('')
        : text;
    const ended = hasHeader ? rows.slice(rows.indexOf('\n') + 1) : rows;
    texts.push(ended === '' || ended.endsWith('\n') ? ended : `${ended}\n`);
  }
  return texts.join('');
}

const onlyForService = ([first]: readonly Input[]) =>
  new UsageError(
    `[${first?.path}] is Parquet, which only the service can read, and it may not read this file`,
    'let the service read it: svcctl serve --allow-dir FOLDER, or use --source local if it may read all files',
  );

const tooLarge = (inputs: readonly Input[]) =>
  new UsageError(
    `The files (${formatBytes(inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}) are too large for the statement: at most ${formatBytes(mostInlineBytes)} of text do`,
    'let the service read them: svcctl serve --allow-dir FOLDER, or use --source local if it may read all files',
  );
