// Built web console, served beside the API: pages, scripts and assets from one folder (Druid:
// WebConsoleJettyServerInitializer).
import { once } from 'node:events';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CannotStart } from '../process/cannot-start.ts';

export interface Console {
  /** Sends the file of a console path; false for an unknown one. `path` is decoded. */
  send(method: string, path: string, response: ServerResponse): Promise<boolean>;
}

/**
 * Opens the folder of a built console. Throws CannotStart when it is not a folder with a start
 * page.
 */
export async function openConsole(folder: string): Promise<Console> {
  const root = await realpath(folder).catch(() => {
    throw new CannotStart(`Folder [${folder}] given by --console cannot be read`);
  });
  const start = await openFirst(root, startPages);
  if (!start)
    throw new CannotStart(
      `Folder [${folder}] given by --console has none of [${startPages.join(', ')}]: it is not a built web console`,
    );
  await start.file.close();
  return {
    async send(method, path, response) {
      if (method !== 'GET' && method !== 'HEAD') return false;
      const found = await openFirst(root, namesOf(path));
      if (found) return sendFile(found, method, response);
      if (path !== configPath) return false;
      response.writeHead(200, headersOf(configPath, Buffer.byteLength(noConfig)));
      response.end(method === 'HEAD' ? undefined : noConfig);
      return true;
    },
  };
}

const startPages = ['unified-console.html', 'index.html'] as const;
const configPath = '/console-config.js';
const noConfig = 'window.consoleConfig = {};\n'; // for a console built without a configuration

const namesOf = (path: string): readonly string[] =>
  path === '/' || path === '/index.html' || path === '/unified-console.html'
    ? startPages
    : [path.slice(1)];

interface OpenFile {
  readonly name: string;
  readonly file: FileHandle;
  readonly sizeBytes: number;
}

async function openFirst(root: string, names: readonly string[]): Promise<OpenFile | undefined> {
  for (const name of names) {
    const found = await openWithin(root, name);
    if (found) return found;
  }
  return undefined;
}

// Links are followed only inside the folder.
async function openWithin(root: string, name: string): Promise<OpenFile | undefined> {
  if (!name.split('/').every(isPlainName)) return undefined;
  const path = await realpath(join(root, name)).catch(() => undefined);
  if (path === undefined || !path.startsWith(root.endsWith(sep) ? root : root + sep))
    return undefined;
  if (
    path
      .slice(root.length)
      .split(sep)
      .some((part) => part.startsWith('.'))
  )
    return undefined;
  const file = await open(path).catch(() => undefined);
  const info = await file?.stat();
  if (file && info?.isFile()) return { name, file, sizeBytes: info.size };
  await file?.close();
  return undefined;
}

const isPlainName = (name: string) => name !== '' && !name.startsWith('.') && !/[\\\0]/.test(name);

async function sendFile(
  { name, file, sizeBytes }: OpenFile,
  method: string,
  response: ServerResponse,
): Promise<true> {
  try {
    response.writeHead(200, headersOf(name, sizeBytes));
    if (method === 'HEAD' || sizeBytes === 0) response.end();
    else
      await pipeline(
        file.createReadStream({ autoClose: false, end: sizeBytes - 1 }),
        response,
      ).catch(() => response.destroy());
    if (!response.closed && !response.writableFinished)
      await Promise.race([once(response, 'finish'), once(response, 'close')]);
  } finally {
    await file.close();
  }
  return true;
}

const headersOf = (name: string, sizeBytes: number) => ({
  'content-type': contentTypes[extname(name).toLowerCase()] ?? 'application/octet-stream',
  'content-length': sizeBytes,
  'x-content-type-options': 'nosniff',
});

const contentTypes: Readonly<Record<string, string | undefined>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};
