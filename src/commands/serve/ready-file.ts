// Ready file for scripts that wait for a service: it is complete and appears once all ports answer.
import { rename, rm, writeFile } from 'node:fs/promises';
import { CommandError } from '../../cli/process/errors.ts';
import { formatJson } from '../../model/json.ts';

interface Addresses {
  readonly url: string;
  readonly urls: ReadonlyMap<string, string>;
  readonly tlsUrls:
    | { readonly url: string; readonly roles: ReadonlyMap<string, string> }
    | undefined;
  readonly controlUrl: string | undefined;
}

export async function writeReadyFile(
  path: string,
  { url, urls, tlsUrls, controlUrl: control }: Addresses,
): Promise<void> {
  const aside = `${path}.${process.pid}.new`;
  try {
    await rm(aside, { force: true });
    // Other users may only read it: clients send their passwords to the addresses in it.
    const tls = tlsUrls && { url: tlsUrls.url, roles: Object.fromEntries(tlsUrls.roles) };
    await writeFile(
      aside,
      `${formatJson({ pid: process.pid, url, roles: Object.fromEntries(urls), tls, control }, '  ')}\n`,
      {
        mode: 0o644,
        flag: 'wx',
      },
    );
    await rename(aside, path);
  } catch (error) {
    throw new CommandError(
      'usage',
      `File [${path}] given by --ready-file cannot be written: ${(error as Error).message}`,
    );
  }
}
