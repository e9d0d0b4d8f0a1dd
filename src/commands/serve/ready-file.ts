// For those who wait for a service in a script: the file is there, whole, once all ports answer.
import { rename, writeFile } from 'node:fs/promises';
import { CommandError } from '../../cli/errors.ts';
import { formatJson } from '../../model/json.ts';

export async function writeReadyFile(path: string, { url, urls }: { url: string; urls: ReadonlyMap<string, string> }): Promise<void> {
  const aside = `${path}.${process.pid}.new`;
  try {
    await writeFile(aside, `${formatJson({ pid: process.pid, url, roles: Object.fromEntries(urls) }, '  ')}\n`);
    await rename(aside, path);
  } catch (error) {
    throw new CommandError('usage', `File [${path}] given by --ready-file cannot be written: ${(error as Error).message}`);
  }
}
