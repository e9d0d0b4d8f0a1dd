// Exports to S3: files are written locally and uploaded when all are complete, the manifest last.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Client } from '../../s3/client.ts';
import { type ObjectPlace, uriOf } from '../../s3/place.ts';
import type { S3Settings } from '../../s3/settings.ts';
import type { RunningTask } from '../../tasks/task-type.ts';
import {
  type Export,
  type ExportPlace,
  manifestFolder,
  metaFile,
  notEmpty,
} from './export-destination.ts';

export interface S3Export {
  readonly folder: string; // for local files
  readonly settings: S3Settings;
  readonly task: RunningTask;
}

/**
 * An empty place. Throws a Refusal for a place that is not empty, and an Error for one that cannot
 * be checked.
 */
export async function s3Place(
  place: ObjectPlace,
  { folder, settings, task }: S3Export,
): Promise<ExportPlace> {
  const { S3Client } = await import('../../s3/client.ts');
  const client = new S3Client({
    endpoint: settings.endpoint,
    credentials: await settings.credentials(),
    signal: task.signal,
    maxTries: settings.exports.maxTries,
  });
  await refuseObjects(client, place);
  return {
    folder,
    exportOf: (files) =>
      sending(files, { client, place, folder, partBytes: settings.exports.chunkBytes, task }),
  };
}

async function refuseObjects(client: S3Client, place: ObjectPlace): Promise<void> {
  if (await client.hasAny(below(place, ''))) throw notEmpty(uriOf(place));
}

const below = ({ bucket, key }: ObjectPlace, name: string): ObjectPlace => ({
  bucket,
  key: `${key}/${name}`,
});

interface Sending {
  readonly client: S3Client;
  readonly place: ObjectPlace;
  readonly folder: string;
  readonly partBytes: number;
  readonly task: RunningTask;
}

function sending(
  files: readonly string[],
  { client, place, folder, partBytes, task }: Sending,
): Export {
  const sent: ObjectPlace[] = [];
  const put = async (object: ObjectPlace, send: (object: ObjectPlace) => Promise<void>) => {
    sent.push(object); // an interrupted upload may have arrived, too
    await send(object);
  };
  const putFile = async (name: string) => {
    const path = join(folder, name);
    const { size } = await stat(path);
    await put(below(place, name), (object) =>
      size <= partBytes
        ? client.put(object, { path, start: 0, length: size })
        : client.putInParts(object, path, size, partBytes),
    );
    task.log(`Uploaded file [${name}] of [${size}] bytes to [${uriOf(place)}]`);
  };
  const undo = async () => {
    for (const object of sent.splice(0).reverse()) await client.remove(object);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    undo,
    async publish() {
      await refuseObjects(client, place);
      for (const name of files) await putFile(name);
      const names = files.map((name) => `${uriOf(below(place, name))}\n`).join('');
      await put(below(place, `${manifestFolder}/${metaFile.name}`), (object) =>
        client.put(object, metaFile.text),
      );
      await put(below(place, `${manifestFolder}/manifest`), (object) => client.put(object, names));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
