// Where the rows of an ingestion come from (Druid: ingestion/input-sources), as files that the engine may read.
import { type BigIntStats, createWriteStream } from 'node:fs';
import { readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invalidSpec, type SpecFields } from './spec-fields.ts';

export type InputSource =
  | { readonly type: 'inline'; readonly data: string }
  | { readonly type: 'local'; readonly baseDir: string | undefined; readonly filter: string; readonly files: readonly string[] }
  | { readonly type: 'http'; readonly uris: readonly string[]; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'combining'; readonly delegates: readonly InputSource[] };

/** A file to read. `name` is what messages call it; `path` is where it is. */
export interface InputFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly state?: string; // of a file that belongs to somebody else, to see whether it changes
}

export interface InputPlace {
  readonly allowedFolders: readonly string[]; // local input comes from below these
  readonly stagingFolder: string; // where what is fetched or given inline is put
  readonly maxHttpBytes?: number;
  readonly signal: AbortSignal;
}

/** Reads the specification of an input source; throws a Refusal for what is missing or unknown. */
export function parseInputSource(fields: SpecFields): InputSource {
  const type = fields.type('InputSource', ['inline', 'local', 'http', 'combining']);
  switch (type) {
    case 'inline':
      return { type, data: fields.text('data') };
    case 'local': {
      const baseDir = fields.optionalText('baseDir');
      const files = fields.texts('files');
      if (baseDir === undefined && files.length === 0) fields.refuse('Either one of baseDir or files should be specified');
      return { type, baseDir, files, filter: baseDir === undefined ? '*' : fields.text('filter') };
    }
    case 'http':
      return { type, uris: httpUris(fields), headers: httpHeaders(fields) };
    case 'combining':
      return { type, delegates: fields.objects('delegates').map(parseInputSource) };
  }
}

/**
 * The files of an input source, in a stable order; what is not a local file yet becomes one in the staging folder. Throws an Error that names the
 * file, folder or address that cannot be read, and why.
 */
export async function openInput(source: InputSource, place: InputPlace): Promise<InputFile[]> {
  const files = await filesOf(source, place);
  for (const { name } of files) refuseUnreadable(name);
  return files;
}

// Compressions of the real engine (CompressionUtils) that this one does not have. A query string is no part of a name.
function refuseUnreadable(name: string): void {
  const [, ending] = /\.(bz2|xz|sz|zip)(?:$|\?)/i.exec(name) ?? [];
  if (ending !== undefined)
    refuseInput(
      `Cannot read file [${name}]: it is compressed as [${ending.toLowerCase()}], and the service reads [gz, zst]. Compress it anew`,
    );
}

async function filesOf(source: InputSource, place: InputPlace): Promise<InputFile[]> {
  switch (source.type) {
    case 'inline':
      return [await inlineFile(source.data, place)];
    case 'local':
      return localFiles(source, place);
    case 'http': {
      const files: InputFile[] = [];
      for (const [index, uri] of source.uris.entries()) files.push(await fetched(uri, index, source.headers, place));
      return files;
    }
    case 'combining':
      return (await Promise.all(source.delegates.map((delegate) => filesOf(delegate, place)))).flat();
  }
}

async function inlineFile(data: string, { stagingFolder }: InputPlace): Promise<InputFile> {
  const path = join(stagingFolder, `inline-${++stagedFiles}`);
  await writeFile(path, data);
  return { name: 'inline', path, sizeBytes: Buffer.byteLength(data) };
}

let stagedFiles = 0;

/**
 * To be asked when files have been read, well or not: throws when one was changed, replaced or removed since `openInput`, because then what was
 * read is of two minds.
 */
export async function checkUnchanged(files: readonly InputFile[]): Promise<void> {
  for (const { name, path, state } of files) {
    if (state === undefined) continue;
    const now = await stat(path, { bigint: true }).then(stateOf, () => undefined);
    if (now === undefined) refuseInput(`File [${name}] was removed while it was read; nothing of it was stored`);
    if (now !== state) refuseInput(`File [${name}] was changed while it was read; nothing of it was stored. Submit the task again`);
  }
}

const stateOf = ({ ino, size, mtimeNs }: BigIntStats) => `${ino} ${size} ${mtimeNs}`;

async function localFiles(
  { baseDir, filter, files }: InputSource & { type: 'local' },
  { allowedFolders }: InputPlace,
): Promise<InputFile[]> {
  const allowed = await Promise.all(allowedFolders.map((folder) => realpath(folder).catch(() => resolve(folder))));
  const found = new Map<string, InputFile>();
  const add = async (name: string) => {
    // Links are followed first: they must not lead out of the allowed folders.
    const path = await realpath(name).catch(() =>
      refuseInput(`Cannot read file [${name}]: it does not exist, or the service may not read it`),
    );
    if (!allowed.some((folder) => isBelow(path, folder))) throw folderNotAllowed(name, allowed);
    const info = await stat(path, { bigint: true });
    if (!info.isFile()) refuseInput(`Cannot read [${name}]: it is not a file`);
    found.set(path, { name, path, sizeBytes: Number(info.size), state: stateOf(info) });
  };
  if (baseDir !== undefined) {
    const base = resolve(baseDir);
    if (!allowed.some((folder) => isBelow(base, folder))) throw folderNotAllowed(baseDir, allowed);
    const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch(() =>
      refuseInput(`Cannot read folder [${baseDir}]: it does not exist, or the service may not read it`),
    );
    const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    for (const name of names.sort()) if (matches(relative(base, name), filter)) await add(name);
    if (found.size === 0 && files.length === 0) refuseInput(`No file in folder [${baseDir}] matches the filter [${filter}]`);
  }
  for (const name of files) await add(resolve(name));
  return [...found.values()].filter(({ sizeBytes }) => sizeBytes > 0); // as the real engine: empty files are skipped
}

// A wildcard without a folder is about the file's own name, in whatever folder it is (Apache Commons IO: WildcardFileFilter).
const matches = (path: string, filter: string) => wildcard(filter).test(filter.includes('/') ? path : basename(path));

const wildcard = (filter: string) =>
  new RegExp(
    `^${filter
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

const folderNotAllowed = (name: string, allowed: readonly string[]) =>
  new Error(
    allowed.length === 0
      ? `Cannot read [${name}]: the service reads no local files. Start it with --allow-dir to name folders that it may read`
      : `Cannot read [${name}]: it is not below a folder that the service may read. Start it with --allow-dir to name another folder`,
  );

const refuseInput = (message: string): never => {
  throw new Error(message);
};

const connectMs = 60_000;

async function fetched(uri: string, index: number, headers: Readonly<Record<string, string>>, place: InputPlace): Promise<InputFile> {
  const { stagingFolder, maxHttpBytes = 100 * 1024 ** 3, signal } = place;
  const path = join(stagingFolder, `http-${++stagedFiles}-${index}${/\.(gz|zst|bz2|xz)$/.exec(new URL(uri).pathname)?.[0] ?? ''}`);
  // The deadline is for the answer to begin; a long body may take its time.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), connectMs);
  const response = await fetch(uri, { headers, signal: AbortSignal.any([signal, late.signal]) }).catch((error: unknown) => {
    signal.throwIfAborted();
    return refuseInput(`Cannot fetch [${uri}]: ${late.signal.aborted ? `no answer within [${connectMs}] ms` : reasonOf(error)}`);
  });
  clearTimeout(timer);
  if (!response.ok || !response.body) return refuseInput(`Cannot fetch [${uri}]: the server answered with status [${response.status}]`);
  let sizeBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      sizeBytes += chunk.length;
      done(sizeBytes > maxHttpBytes ? new Error(`it is larger than [${maxHttpBytes}] bytes`) : null, chunk);
    },
  });
  try {
    await pipeline(Readable.fromWeb(response.body as never), counted, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    signal.throwIfAborted();
    return refuseInput(`Cannot fetch [${uri}]: ${reasonOf(error)}`);
  }
  return { name: uri, path, sizeBytes };
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);

function httpUris(fields: SpecFields): readonly string[] {
  const uris = fields.texts('uris');
  if (uris.length === 0) fields.refuse('Empty URIs');
  for (const uri of uris) {
    if (!URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol))
      throw invalidSpec(`Only [http, https] protocols are allowed, but got [${uri}]`);
  }
  return uris;
}

function httpHeaders(fields: SpecFields): Readonly<Record<string, string>> {
  const given = Object.entries(fields.optionalObject('requestHeaders')?.values ?? {}).map(([name, value]) => [name, String(value)]);
  const user = fields.optionalText('httpAuthenticationUsername');
  const basic = user === undefined ? [] : [['authorization', `Basic ${Buffer.from(`${user}:${passwordIn(fields)}`).toString('base64')}`]];
  return Object.fromEntries([...given, ...basic]);
}

// A text, or a password provider (Druid: operations/password-provider); only the one that holds the password itself is known, because the
// environment of the service is nobody's business.
function passwordIn(fields: SpecFields): string {
  const { httpAuthenticationPassword: given } = fields.values;
  if (typeof given === 'string') return given;
  const provider = fields.optionalObject('httpAuthenticationPassword');
  provider?.type('PasswordProvider', ['default'], 'default');
  return provider?.text('password') ?? '';
}
