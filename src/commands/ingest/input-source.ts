// Input source of files: the service reads local files and URLs where it may, else svcctl sends
// their rows.
import { dirname, resolve, sep } from 'node:path';
import type { Context } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { status } from '../../contract/status.ts';
import type { Guess } from './guess-columns.ts';
import type { Input } from './inputs.ts';
import type { ExternSource } from './statement.ts';

type InputContext = Pick<Context, 'call' | 'settings'>;

interface Wanted {
  readonly source: 'inline' | 'local' | undefined;
  readonly isPlain: boolean; // the service would read the same fields
}

/** How the rows reach the service. */
export interface Access {
  readonly source?: ExternSource; // that the service reads itself; without it the rows are sent
  // The folder of which `serve --allow-dir` would let the service read the files
  readonly folder?: string;
}

/**
 * How the rows of files reach the service. Throws a usage error when the service can neither read
 * the files nor receive their rows.
 */
export async function accessTo(
  context: InputContext,
  inputs: readonly Input[],
  { format }: Pick<Guess, 'format'>,
  { source, isPlain }: Wanted,
): Promise<Access> {
  if (inputs.every(({ kind, isList }) => kind === 'url' && !isList) && source !== 'inline')
    return { source: { type: 'http', uris: inputs.map(({ path }) => path) } };
  const paths = inputs.map(({ path }) => resolve(path));
  const local = { source: { type: 'local', files: paths } } as const;
  if (source === 'local') return local;
  const folders = source === 'inline' || !isPlain ? undefined : await readableFolders(context);
  const areFiles = inputs.every(
    // The service goes by the name.
    ({ kind, path, packing }) =>
      kind === 'file' && packing !== 'zip' && packing === packingByName(path),
  );
  const isReadable = (path: string) =>
    folders?.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  if (areFiles && paths.every(isReadable)) return local;
  if (format === 'parquet') throw onlyForService(inputs);
  return areFiles && folders ? { folder: dirname(paths[0] ?? '') } : {};
}

const packingByName = (path: string): Input['packing'] => {
  if (path.endsWith('.gz')) return 'gzip';
  return path.endsWith('.zst') ? 'zstd' : 'none';
};

// The folders of `serve --allow-dir`; undefined for other services. Only a service on this machine
// sees the same files. This may be the first request, before the service's name is known: it begins
// the property.
async function readableFolders({
  call,
  settings,
}: InputContext): Promise<readonly string[] | undefined> {
  if (!/^(localhost|127\..*|\[::1\])$/.test(new URL(settings.url).hostname)) return undefined;
  try {
    const properties = await call(status.properties);
    const given = Object.entries(properties).find(([name]) =>
      name.endsWith('.ingestion.localFolders'),
    );
    const folders: unknown = JSON.parse(given?.[1] ?? 'null');
    return Array.isArray(folders) ? folders.map(String) : undefined;
  } catch (error) {
    if (error instanceof ServiceError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const onlyForService = ([first]: readonly Input[]) =>
  new UsageError(
    `[${first?.path}] is Parquet, which only the service can read, and it may not read this file`,
    'let the service read it: svcctl serve --allow-dir FOLDER, or use --source local if it may read all files',
  );
