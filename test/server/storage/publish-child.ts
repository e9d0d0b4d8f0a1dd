// Publishes generations of three segments each, from and to the given numbers, and says so when
// each is acknowledged. With `delete`, deletes one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setDataSourceMetadata } from '../../../src/server/storage/datasource-metadata.ts';
import { listSegments } from '../../../src/server/storage/segments.ts';
import { openStorage } from '../../../src/server/storage/storage.ts';

const [folder = '', verb = '', from = '', to = ''] = process.argv.slice(2);

async function main() {
  const storage = openStorage(folder);
  for (let generation = Number(from); generation <= Number(to); generation++) {
    if (verb === 'delete') {
      const segments = listSegments(storage.metadata, { versions: [`v${generation}`] });
      await storage.segments.delete(segments, (tx) =>
        setDataSourceMetadata(tx, 'deleted', generation),
      );
    } else await publish(generation);
    process.stdout.write(`${generation}\n`);
  }
  await storage.close();

  async function publish(generation: number) {
    const staging = await storage.segments.makeStagingFolder(`task-${generation}`);
    const staged = await Promise.all(
      [0, 1, 2].map(async (part) => {
        const file = join(staging, `${part}.parquet`);
        await writeFile(file, `generation ${generation} part ${part}`);
        return {
          dataSource: 'wiki',
          interval: { start: 0, end: 86_400_000 },
          version: `v${generation}`,
          partitionNum: part,
          file,
          sizeBytes: 10,
          numRows: 1,
          columns: [],
          dimensions: [],
          metrics: [],
          shardSpec: { type: 'numbered', partitions: 3 },
        };
      }),
    );
    await storage.segments.publish(staged, (tx) => setDataSourceMetadata(tx, 'wiki', generation));
  }
}

void main();
