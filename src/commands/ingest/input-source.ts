// Input source of files: the service reads local files where it may, else the statement contains
// their rows.
import { resolve, sep } from 'node:path';
import type { Context } from '../../cli/command/command.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { status } from '../../contract/status.ts';
import { contentOf, type LocalFile } from './first-rows.ts';
import type { ExternSource } from './statement.ts';

const mostInlineBytes = 4 * 1024 * 1024;

type InputContext = Pick<Context, 'call' | 'out' | 'settings'>;

/**
 * `wanted` is the user's choice. Throws a usage error when the service can neither read the files
 * nor receive them.
 */
export async function inputSourceOf(
  context: InputContext,
  files: readonly LocalFile[],
  hasHeader: boolean,
  wanted?: 'inline' | 'local',
): Promise<ExternSource> {
  const paths = files.map(({ path }) => resolve(path));
  if (wanted === 'local') return { type: 'local', files: paths };
  const folders = wanted === 'inline' ? [] : await readableFolders(context);
  const isNamedGzip = files.every(({ path, isGzip }) => isGzip === path.endsWith('.gz')); // the service goes by the name
  if (
    isNamedGzip &&
    paths.every((path) =>
      folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep)),
    )
  )
    return { type: 'local', files: paths };
  const data = await textOf(files, hasHeader);
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

async function textOf(files: readonly LocalFile[], hasHeader: boolean): Promise<string> {
  const texts: string[] = [];
  let size = 0;
  for (const file of files) {
    const chunks: Buffer[] = [];
    for await (const chunk of contentOf(file)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostInlineBytes) throw tooLarge(files);
    }
    const text = Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    const rows = hasHeader ? text.slice(text.indexOf('\n') + 1) : text;
    texts.push(rows.endsWith('\n') ? rows : `${rows}\n`);
  }
  return texts.join('');
}

const tooLarge = (files: readonly LocalFile[]) =>
  new UsageError(
    `The files (${formatBytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}) are too large for the statement: at most ${formatBytes(mostInlineBytes)} of text do`,
    'let the service read them: svcctl serve --allow-dir FOLDER, or use --source local if it may read all files',
  );
