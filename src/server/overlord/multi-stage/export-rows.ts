// Export: the rows of a query as files below an allowed folder (Druid: multi-stage-query/reference, "EXTERN export destinations").
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { distinctNames } from '../../../sql/column-names.ts';
import type { IngestStatement, OutputColumn } from '../../../sql/statement.ts';
import { createResultWriter } from '../../broker/result-writer.ts';
import { printingOf } from '../../broker/sql-request.ts';
import { DiskFull, lacksRoom, withPlace } from '../../disk-full.ts';
import { writeSegmentFile } from '../../engine/segment-file.ts';
import type { Session } from '../../engine/session.ts';
import { identifier } from '../../engine/sql-text.ts';
import { isBelow, isInside } from '../../ingestion/local-files.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { Refusal } from '../../refusals.ts';
import { moveDurably } from '../../storage/durable-files.ts';
import { addReading, checkColumnCount, makeRows, openInputs, type QueryRun, signatureOf } from './query-run.ts';
import { channel } from './report.ts';

type Target = IngestStatement['target'] & { readonly kind: 'export' };

/** The folder an export goes to; throws a Refusal for a destination that this service does not have. */
export function exportFolder({ destination, format }: Target, { folders, ownFolder }: Outside): string {
  const { type, exportPath, ...others } = destination;
  if (type !== 'local')
    throw new Refusal(
      'invalidInput',
      `Export destination [${String(type)}] is not available: the only one is [local(exportPath => '...')]`,
    );
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Refusal('invalidInput', `Export destination [local] has no property [${unknown}]: it takes [exportPath] only`);
  if (typeof exportPath !== 'string' || exportPath === '')
    throw new Refusal('invalidInput', 'Export destination [local] needs the property [exportPath]');
  if (!(format in extensions))
    throw new Refusal('invalidInput', `Exporting as [${format.toUpperCase()}] format is not supported: use CSV or PARQUET`);
  const folder = resolve(exportPath);
  if (folders.length === 0)
    throw new Refusal('invalidInput', 'The service writes no local files. Start it with --allow-dir to name folders for local export');
  const isOwn = ownFolder !== undefined && isBelow(folder, ownFolder);
  if (isOwn || !folders.some((allowed) => isBelow(folder, resolve(allowed)))) {
    throw new Refusal(
      'invalidInput',
      `The provided destination [${exportPath}] must be below a folder that the service may write to (--allow-dir)`,
    );
  }
  return folder;
}

/** Files that are complete, but not where anybody looks yet. */
export interface Export {
  publish(): Promise<void>;
  undo(): Promise<void>;
}

/** Writes the rows of a query as files of `rowsPerPage` rows each. Throws QueryFailed or a Refusal; nothing is visible then. */
export async function exportRows(run: QueryRun, statement: IngestStatement, target: Target): Promise<Export> {
  const { session, settings, report, workers, task, outside } = run;
  const { query } = statement;
  checkColumnCount(query.columns);
  const folder = await preparedFolder(target, outside);
  const { maxWorkers } = settings;
  const opening = addReading(run, query, {
    processor: { type: 'scan' },
    signature: signatureOf(query.columns),
    shuffle: { type: 'targetSize', targetSize: settings.rowsPerPage },
  });
  const reading = opening.stage;
  const writing = report.addStage({
    input: [{ type: 'stage', stage: opening.number }],
    processor: { type: 'exportResults', format: target.format },
    signature: signatureOf(query.columns),
    maxWorkers,
  });
  const closeInputs = await openInputs(run, query, opening);
  const names = query.columns.map((_, index) => `c${index}`);
  const make = `CREATE TEMP TABLE export_rows AS SELECT * FROM (${query.duckdb}) AS q(${names.join(', ')})`;
  await makeRows(session, query, () => session.run(make));
  await closeInputs();
  const [[count] = []] = await session.rows('SELECT count(*) FROM export_rows');
  const numRows = Number(count);
  reading.count('output', channel({ rows: numRows }));
  reading.partitionCount = Math.ceil(numRows / settings.rowsPerPage);
  reading.end();
  writing.start();
  writing.partitionCount = reading.partitionCount;
  writing.workerCount = Math.max(1, Math.min(workers.launch(Math.min(maxWorkers, writing.partitionCount)), writing.partitionCount));
  const hidden = join(folder, `.${task.id}-${randomUUID()}`);
  await mkdir(hidden, { recursive: true });
  const files: string[] = [];
  const rowsOf = Array.from({ length: writing.workerCount }, (): number[] => []);
  try {
    for (let partition = 0; partition < writing.partitionCount; partition++) {
      const worker = partition % writing.workerCount;
      const first = partition * settings.rowsPerPage;
      const stretch = `export_rows WHERE rowid >= ${first} AND rowid < ${first + settings.rowsPerPage} ORDER BY rowid`;
      const name = `${task.id}-worker${worker}-partition${partition}.${target.format}`;
      if (target.format === 'parquet') await writeParquet(session, query.columns, stretch, join(hidden, name));
      else await writeCsv(session, statement, stretch, join(hidden, name));
      files.push(name);
      rowsOf[worker]?.push(Math.min(settings.rowsPerPage, numRows - first));
      writing.count('input0', channel({ rows: rowsOf[worker] ?? [] }), worker);
      workers.log(worker, `Wrote file [${name}]`);
    }
  } catch (error) {
    await rm(hidden, { recursive: true, force: true });
    throw lacksRoom(error) ? new DiskFull(folder) : error;
  }
  writing.end();
  return moving(files, hidden, folder);
}

const extensions: Readonly<Record<string, true>> = { csv: true, parquet: true };

// Links are followed: they must not lead out of the allowed folders.
async function preparedFolder(target: Target, outside: Outside): Promise<string> {
  const folder = exportFolder(target, outside);
  const check = async (real: string) => {
    if (await isInside(real, outside)) return;
    throw new Refusal('invalidInput', `The provided destination [${folder}] leads out of the folders that the service may write to`);
  };
  await check(await firstExisting(folder));
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    if (lacksRoom(error)) throw error;
    throw new Refusal('invalidInput', `The provided destination [${folder}] cannot be made a folder`);
  });
  await check(await realpath(folder)); // a folder on the way may have become a link
  await refuseFiles(folder);
  return folder;
}

const firstExisting = (path: string): Promise<string> => realpath(path).catch(() => firstExisting(dirname(path)));

async function refuseFiles(folder: string): Promise<void> {
  const found = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  if (found.length === 0) return;
  throw new Refusal(
    'runtimeFailure',
    `Found files at provided export destination[${folder}]. Export is only allowed to an empty path. Please provide an empty path/subdirectory or move the existing files.`,
  );
}

async function writeCsv(session: Session, { query }: IngestStatement, stretch: string, file: string): Promise<void> {
  const options = { format: 'csv', header: true, typesHeader: false, sqlTypesHeader: false, ...printingOf(query.context) } as const;
  const writer = createResultWriter(query.columns, options);
  const { chunks } = await session.query(`SELECT ${query.columns.map((_, index) => `c${index}`).join(', ')} FROM ${stretch}`);
  async function* texts() {
    yield writer.head();
    for await (const chunk of chunks) yield writer.rows(chunk);
    yield writer.tail();
  }
  await pipeline(Readable.from(texts()), createWriteStream(file));
}

async function writeParquet(session: Session, columns: readonly OutputColumn[], stretch: string, file: string): Promise<void> {
  const names = distinctNames(columns.map(({ name }) => name)); // DuckDB would write no others
  const values = columns.map(({ type }, index) => {
    const value =
      type.name === 'TIMESTAMP'
        ? `make_timestamp_ms(c${index})`
        : type.name === 'DATE'
          ? `make_timestamp_ms(c${index})::DATE`
          : `c${index}`;
    return `${value} AS ${identifier(names[index] ?? '')}`;
  });
  await writeSegmentFile(session, `SELECT ${values.join(', ')} FROM ${stretch}`, file);
}

// Every file appears whole, by its new name; the manifest, which names them all, comes last.
function moving(files: readonly string[], hidden: string, folder: string): Export {
  const manifestFolder = join(folder, '_symlink_format_manifest');
  const moved: string[] = [];
  const undo = async () => {
    for (const path of [manifestFolder, ...moved, hidden]) await rm(path, { recursive: true, force: true });
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
        await writeFile(made, moved.map((path) => `${pathToFileURL(path).href.replace('file:///', 'file:/')}\n`).join(''));
        const meta = join(hidden, 'druid_export_meta');
        await writeFile(meta, 'version: 1\n');
        await moveDurably(meta, join(manifestFolder, 'druid_export_meta'));
        await moveDurably(made, join(manifestFolder, 'manifest'));
        await rm(hidden, { recursive: true, force: true });
      } catch (error) {
        await undo();
        throw withPlace(error, folder);
      }
    },
  };
}
