// Input sources of an ingestion, as files for the engine (Druid: ingestion/input-sources).

import type { BigIntStats } from 'node:fs';
import { readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { maskWord } from '../../model/secrets.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { invalidSpec } from '../checks/spec-fields.ts';
import type { SegmentStore } from '../storage/segment-store.ts';
import { checkHeader, checkUri, download, maskUri } from './http-files.ts';
import type { InputFile } from './input-file.ts';
import { notAFile, realPathIn } from './local-files.ts';
import { type Outside, variableOf } from './outside.ts';
import { type PasswordProvider, parsePassword, passwordOf } from './password-provider.ts';
import { checkS3Source, objectsOf, parseS3Source, type S3Source } from './s3-source.ts';
import { parseStoredSource, type StoredSource } from './stored-source.ts';

export type InputSource =
  | { readonly type: 'inline'; readonly data: string }
  | {
      readonly type: 'local';
      readonly baseDir: string | undefined;
      readonly filter: string;
      readonly files: readonly string[];
    }
  | HttpSource
  | S3Source
  | StoredSource
  | { readonly type: 'combining'; readonly delegates: readonly InputSource[] };

interface HttpSource {
  readonly type: 'http';
  readonly uris: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly user: { readonly name: string; readonly password: PasswordProvider } | undefined;
}

export interface InputPlace {
  readonly outside: Outside;
  readonly stagingFolder: string; // for fetched and inline data
  readonly maxFetchedBytes?: number; // total of an input's fetched files
  readonly patienceMs?: number; // timeout of servers
  readonly signal: AbortSignal;
}

/** Reads the specification of an input source; throws a Refusal for a missing or unknown one. */
export function parseInputSource(fields: SpecFields): InputSource {
  fields.refuseTypes('Input source', unavailable, 'svcctl help limits');
  if ((fields.optionalList('systemFields') ?? []).length > 0)
    fields.refuse('[systemFields] are not available');
  const type = fields.type('InputSource', ['inline', 'local', 'http', 's3', 'druid', 'combining']);
  switch (type) {
    case 'inline': {
      const data = fields.text('data');
      if (data === '') fields.refuse('empty data');
      return { type, data };
    }
    case 'local': {
      const baseDir = fields.optionalText('baseDir') || undefined;
      const files = fields.texts('files');
      if (baseDir === undefined && files.length === 0)
        fields.refuse('Either one of baseDir or files should be specified');
      return { type, baseDir, files, filter: baseDir === undefined ? '*' : fields.text('filter') };
    }
    case 'http':
      return httpSource(fields);
    case 's3':
      return parseS3Source(fields);
    case 'druid':
      return parseStoredSource(fields);
    case 'combining': {
      const delegates = fields.objects('delegates').map(parseInputSource);
      if (delegates.length === 0) fields.refuse('Must specify at least one delegate inputSource');
      if (delegates.some(({ type }) => type === 'inline'))
        fields.refuse('delegates cannot be of type [inline]. Write its data to a file');
      if (delegates.some(({ type }) => type === 'druid'))
        fields.refuse(
          'delegates cannot be of type [druid]. Read the datasource in a task of its own',
        );
      return { type, delegates };
    }
  }
}

// Input sources of the real engine.
const unavailable = ['azure', 'azureStorage', 'delta', 'google', 'hdfs', 'iceberg', 'sql'];

/** Throws a Refusal for an input source with an external resource that requests may not name. */
export function checkInputSource(source: InputSource, outside: Outside): void {
  if (source.type === 'combining')
    for (const delegate of source.delegates) checkInputSource(delegate, outside);
  if (source.type === 's3') checkS3Source(source, outside);
  if (source.type !== 'http') return;
  for (const uri of source.uris) checkUri(uri, outside.http);
  for (const [name, value] of Object.entries(source.headers))
    checkHeader(name, value, outside.http);
  if (source.user?.password.type === 'environment')
    variableOf(outside, source.user.password.variable);
}

/**
 * The files of an input source, in a stable order; other data become local files in the staging
 * folder. Throws an Error that names the unreadable file, folder or address, and the reason.
 */
export async function openInput(source: InputSource, place: InputPlace): Promise<InputFile[]> {
  checkInputSource(source, place.outside); // the rules may have changed since the submission
  const files = await filesOf(source, place, { bytes: place.maxFetchedBytes ?? 100 * 1024 ** 3 });
  for (const { name } of files) refuseUnreadable(name);
  return files;
}

// Compressions of the real engine (CompressionUtils) that are not supported here. A query string is
// not part of a name.
function refuseUnreadable(name: string): void {
  const [, ending] = /\.(bz2|xz|sz|zip)(?:$|\?)/i.exec(name) ?? [];
  if (ending !== undefined)
    refuseInput(
      `Cannot read file [${name}]: it is compressed as [${ending.toLowerCase()}], and the service reads [gz, zst]. Recompress it with one of these`,
    );
}

// Number of bytes that may still be fetched.
interface Budget {
  bytes: number;
}

async function filesOf(
  source: InputSource,
  place: InputPlace,
  budget: Budget,
): Promise<InputFile[]> {
  switch (source.type) {
    case 'inline':
      return [await inlineFile(source.data, place)];
    case 'local':
      return localFiles(source, place);
    case 'http':
      return fetchFiles(source, place, budget);
    case 's3':
      return objectFiles(source, place, budget);
    case 'druid': // its rows are in no file of their own
      return [];
    case 'combining': {
      const files: InputFile[] = [];
      for (const delegate of source.delegates)
        files.push(...(await filesOf(delegate, place, budget)));
      return files;
    }
  }
}

async function fetchFiles(
  { uris, headers, user }: HttpSource,
  place: InputPlace,
  budget: Budget,
): Promise<InputFile[]> {
  const { outside, stagingFolder, patienceMs, signal } = place;
  const basic =
    user && Buffer.from(`${user.name}:${passwordOf(user.password, outside)}`).toString('base64');
  const files: InputFile[] = [];
  for (const uri of uris) {
    const path = join(stagingFolder, `http-${++stagedFiles}${endingOf(new URL(uri).pathname)}`);
    const sizeBytes = await download({
      uri,
      headers: { ...headers, ...(basic !== undefined && { authorization: `Basic ${basic}` }) },
      path,
      maxBytes: budget.bytes,
      rules: outside.http,
      signal,
      ...(patienceMs !== undefined && { patienceMs }),
    });
    budget.bytes -= sizeBytes;
    files.push({ name: maskUri(uri), path, sizeBytes });
  }
  return files;
}

async function objectFiles(
  source: S3Source,
  place: InputPlace,
  budget: Budget,
): Promise<InputFile[]> {
  const files: InputFile[] = [];
  for await (const object of objectsOf(source, place)) {
    const path = join(place.stagingFolder, `s3-${++stagedFiles}${endingOf(object.key)}`);
    const sizeBytes = await object.download(path, budget.bytes);
    budget.bytes -= sizeBytes;
    files.push({ name: object.name, path, sizeBytes });
  }
  return files;
}

// The suffix by which readers recognize a compressed file.
const endingOf = (path: string) => /\.(gz|zst|bz2|xz)$/.exec(path)?.[0] ?? '';

async function inlineFile(data: string, { stagingFolder }: InputPlace): Promise<InputFile> {
  const path = join(stagingFolder, `inline-${++stagedFiles}`);
  await writeFile(path, data);
  return { name: 'inline', path, sizeBytes: Buffer.byteLength(data) };
}

let stagedFiles = 0;

/**
 * Call it when files have been read, even on failure: throws when one was changed, replaced or
 * removed since `openInput`, because the rows read may then be inconsistent.
 */
export async function checkUnchanged(files: readonly InputFile[]): Promise<void> {
  for (const { name, path, state } of files) {
    if (state === undefined) continue;
    const now = await stat(path, { bigint: true }).then(stateOf, () => undefined);
    if (now === undefined)
      refuseInput(`File [${name}] was removed during reading; none of its rows were stored`);
    if (now !== state)
      refuseInput(
        `File [${name}] was changed during reading; none of its rows were stored. Submit the task again`,
      );
  }
}

const stateOf = ({ ino, size, mtimeNs }: BigIntStats) => `${ino} ${size} ${mtimeNs}`;

async function localFiles(
  { baseDir, filter, files }: InputSource & { type: 'local' },
  { outside, stagingFolder }: InputPlace,
): Promise<InputFile[]> {
  const found = new Map<string, InputFile>();
  const add = async (name: string) => {
    const path = await realPathIn(outside, name);
    const info = await stat(path, { bigint: true });
    if (!info.isFile()) throw notAFile(name);
    found.set(path, {
      name,
      path: await plainPath(path, stagingFolder),
      sizeBytes: Number(info.size),
      state: stateOf(info),
    });
  };
  if (baseDir !== undefined) {
    const base = await realPathIn(outside, baseDir, 'folder');
    const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch(() =>
      refuseInput(
        `Cannot read folder [${baseDir}]: it is not a folder, or the service may not read it`,
      ),
    );
    const paths = entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(base, join(entry.parentPath, entry.name)));
    for (const path of paths.sort())
      if (isMeant(path, filter)) await add(join(resolve(baseDir), path));
    if (found.size === 0 && files.length === 0)
      refuseInput(`No file in folder [${baseDir}] matches the filter [${filter}]`);
  }
  for (const name of files) await add(name);
  // Empty files are skipped, as in the real engine
  return [...found.values()].filter(({ sizeBytes }) => sizeBytes > 0);
}

// The engine reads some characters of a path as a pattern: such a file is read through a link with
// a plain name.
async function plainPath(path: string, stagingFolder: string): Promise<string> {
  if (!/[*?[\]{}]/.test(path)) return path;
  const link = join(
    stagingFolder,
    `local-${++stagedFiles}${/(?:\.\w{1,10}){0,2}$/.exec(path)?.[0] ?? ''}`,
  );
  await symlink(path, link);
  return link;
}

// A wildcard without a folder matches the file's own name, in any folder (Apache Commons IO:
// WildcardFileFilter).
const isMeant = (path: string, filter: string) =>
  matchesWildcard(filter.includes('/') ? path : basename(path), filter);

const refuseInput = (message: string): never => {
  throw new Error(message);
};

function httpSource(fields: SpecFields): InputSource {
  const uris = fields.texts('uris');
  if (uris.length === 0) fields.refuse('Empty URIs');
  for (const [at, uri] of uris.entries())
    if (!URL.canParse(uri))
      throw fields.refuse(`uris[${at}] is not an address: it must begin with http:// or https://`);
  const headers = Object.entries(fields.optionalObject('requestHeaders')?.values ?? {});
  const { httpAuthenticationPassword: given = '' } = fields.values;
  const masked = headers.find(([, value]) => value === maskWord);
  if (masked)
    fields.refuse(
      `[${masked[0]}] is [${maskWord}], the placeholder that the service shows for a secret. Give the value itself`,
    );
  const name = fields.optionalText('httpAuthenticationUsername');
  return {
    type: 'http',
    uris,
    headers: Object.fromEntries(
      headers.map(([header, value]) => [header.toLowerCase(), String(value)]),
    ),
    user:
      name === undefined
        ? undefined
        : { name, password: parsePassword(given, 'httpAuthenticationPassword') },
  };
}

/** Throws a Refusal for an input source that reads a datasource without segments. */
export function checkStoredSource(source: InputSource, segments: SegmentStore): void {
  if (source.type !== 'druid' || segments.timeline(source.dataSource).visible().length > 0) return;
  throw invalidSpec(
    `Datasource [${source.dataSource}] of the input source does not exist, or has no segments. List the datasources with: svcctl datasources list`,
  );
}
