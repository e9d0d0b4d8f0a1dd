// Exports to folders of this machine.
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lacksRoom, withPlace } from '../../checks/disk-full.ts';
import { Refusal } from '../../checks/refusals.ts';
import { isInside } from '../../ingestion/local-files.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { moveDurably } from '../../storage/durable-files.ts';
import {
  type Export,
  type ExportPlace,
  manifestFolder,
  metaFile,
  notEmpty,
} from './export-destination.ts';

/**
 * Creates the folder of an export, with a subfolder for unfinished files. Throws a Refusal for a
 * folder that leads outside the allowed ones or is not empty.
 */
export async function localPlace(
  folder: string,
  hiddenName: string,
  outside: Outside,
): Promise<ExportPlace> {
  await prepare(folder, outside);
  const hidden = join(folder, `.${hiddenName}`);
  return { folder: hidden, exportOf: (files) => moving(files, hidden, folder) };
}

// Links are followed: they must not lead outside the allowed folders.
async function prepare(folder: string, outside: Outside): Promise<void> {
  const check = async (real: string) => {
    if (await isInside(real, outside)) return;
    throw new Refusal(
      'invalidInput',
      `The provided destination [${folder}] is outside of the folders that the service may write to`,
    );
  };
  await check(await firstExisting(folder));
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    if (lacksRoom(error)) throw error;
    throw new Refusal(
      'invalidInput',
      `The provided destination [${folder}] cannot be created as a folder`,
    );
  });
  await check(await realpath(folder)); // a parent folder may have become a link
  await refuseFiles(folder);
}

const firstExisting = (path: string): Promise<string> =>
  realpath(path).catch(() => firstExisting(dirname(path)));

async function refuseFiles(folder: string): Promise<void> {
  if ((await readdir(folder)).some((name) => !name.startsWith('.'))) throw notEmpty(folder);
}

// Each file appears complete, by renaming; the manifest with all names comes last.
function moving(files: readonly string[], hidden: string, folder: string): Export {
  const manifests = join(folder, manifestFolder);
  const moved: string[] = [];
  const undo = async () => {
    for (const path of [manifests, ...moved, hidden])
      await rm(path, { recursive: true, force: true });
  };
  return {
    undo,
    async publish() {
      try {
        await refuseFiles(folder);
        for (const name of files) {
          await moveDurably(join(hidden, name), join(folder, name));
          moved.push(join(folder, name));
        }
        const made = join(hidden, 'manifest');
        await writeFile(
          made,
          moved
            .map((path) => `${pathToFileURL(path).href.replace('file:///', 'file:/')}\n`)
            .join(''),
        );
        const meta = join(hidden, metaFile.name);
        await writeFile(meta, metaFile.text);
        await moveDurably(meta, join(manifests, metaFile.name));
        await moveDurably(made, join(manifests, 'manifest'));
        await rm(hidden, { recursive: true, force: true });
      } catch (error) {
        await undo();
        throw withPlace(error, folder);
      }
    },
  };
}
