// Loading of files that are too large for memory: as in load-rows.ts, but the rows go into bins on
// disk while they are read, and the files are read again for every other question about them.
import type { SegmentColumn } from '../../model/segment.ts';
import { serialize } from '../engine/native-types.ts';
import type { Session } from '../engine/session.ts';
import { selectedValues } from './column-values.ts';
import { badSql, type ReadFields, type RowTime, rowTime, untimedTexts } from './kept-rows.ts';
import {
  dimensionsOf,
  type LoadedColumn,
  type LoadedRows,
  metricsOf,
  omittableOf,
  usedTransforms,
  wantedFields,
} from './load-rows.ts';
import type { Loading } from './loading.ts';
import type { Metric } from './metrics.ts';
import { binOf, distribute, limitThreads, type Overflow } from './overflow.ts';
import { checkedColumns, judgeFailures, readSlowTimes, wantedSql } from './parse-failures.ts';
import { numberedRows, type RawRows } from './raw-rows.ts';
import { binKey, rollUpBins } from './roll-up-bins.ts';
import { withRowTimes } from './row-times.ts';
import { isUnreadableText } from './stage-raw-rows.ts';
import type { TimeChunks } from './time-chunks.ts';
import { filterSql, transformedFields } from './transforms.ts';

/**
 * Loads rows into bins by the time chunks that they will be divided into; throws as `loadRows`
 * does. The stage of `loading` defines a view.
 */
export async function loadBins(
  loading: Loading,
  overflow: Overflow,
  chunks: TimeChunks,
): Promise<LoadedRows> {
  await limitThreads(loading.session, overflow);
  const raw = await loading.stage({ ...wantedFields(loading.schema), asView: true });
  try {
    return await load(loading, raw, { ...overflow, chunks });
  } catch (error) {
    if (!raw.readClean || !isUnreadableText(error)) throw error;
    return load(loading, await raw.readClean(), { ...overflow, chunks });
  }
}

interface Target extends Overflow {
  readonly chunks: TimeChunks;
}

async function load(loading: Loading, staged: RawRows, target: Target): Promise<LoadedRows> {
  const { session, files, schema, stats, now, log } = loading;
  const given = await withRowTimes(session, schema, staged);
  const context = { timestampSpec: schema.timestampSpec, nowMs: now() };
  const { fields, added } = await transformedFields(
    session,
    given,
    usedTransforms(schema, given),
    context,
  );
  const raw =
    added.length === 0
      ? given
      : { ...given, table: `(SELECT *, ${added.join(', ')} FROM ${given.table})` };
  const time = raw.fields.get(schema.timestampSpec.column);
  const dimensions = await dimensionsOf(session, schema, { raw, fields, time }, context);
  const metrics = await metricsOf(session, schema, raw, fields, context);
  const filter = await filterSql(session, raw, fields, schema.transformSpec, context);
  const parts = { raw, fields, time, dimensions, metrics, filter };
  const rows = await stageRows(loading, parts, target);
  stats.processedBytes = files.reduce(
    (sum, { sizeBytes }) => sum + sizeBytes,
    stats.processedBytes,
  );
  log(`Read [${rows.total}] rows from [${files.length}] files with [${raw.fields.size}] fields`);
  await countRows(loading, parts, rows);
  const columns: SegmentColumn[] = [
    { name: '__time', type: 'LONG', multiValue: false },
    ...dimensions.map(({ name, type, multiValue }) => ({ name, type, multiValue })),
    ...metrics.map(({ name, type }) => serialize({ name, type, multiValue: false })),
  ];
  const kept = rows.bins.map((bin) => `(SELECT * FROM ${bin} WHERE fate >= ${fates.misfit})`);
  const made = { columns, numDimensions: dimensions.length, metrics };
  const bins = await rollUpBins(session, kept, made, target, schema.granularitySpec);
  const numRows = await countIn(session, bins.table);
  log(
    `Kept [${stats.processed}] rows: [${stats.unparseable}] unparseable, [${stats.thrownAway}] thrown away, [${stats.processedWithError}] with errors; [${numRows}] to store`,
  );
  return {
    ...bins,
    columns,
    dimensions: dimensions.map(({ name }) => name),
    metrics: schema.metrics.map(({ name }) => name),
    discovered: dimensions.filter(({ discovered }) => discovered).map(({ name }) => name),
    omittable: await omittableOf(session, schema, dimensions, bins.table),
    numRows,
  };
}

interface Parts extends ReadFields {
  readonly dimensions: readonly LoadedColumn[];
  readonly metrics: readonly Metric[];
  readonly filter: string;
}

/** Converted rows in bins, with their fates in the column `fate`. */
interface Staged {
  readonly bins: readonly string[];
  readonly counts: ReadonlyMap<number, number>; // of rows, by fate
  readonly total: number;
  readonly time: RowTime;
}

// The fates of rows. Rows of the last two are stored.
const fates = { bad: 0, untimed: 1, unwanted: 2, misfit: 3, good: 4 } as const;

async function stageRows(loading: Loading, parts: Parts, target: Target): Promise<Staged> {
  const { session, schema } = loading;
  const staged = await stageOnce(loading, parts, target, rowTime(schema, parts, undefined));
  const { time, raw } = parts;
  if (!time || !staged.counts.get(fates.untimed)) return staged;
  const { format } = schema.timestampSpec;
  const known = await readSlowTimes(session, format, untimedTexts(schema, raw, time));
  if (known === 0) return staged;
  return stageOnce(loading, parts, target, rowTime(schema, parts, time));
}

async function stageOnce(
  { session, schema }: Loading,
  { raw, dimensions, metrics, filter }: Parts,
  target: Target,
  time: RowTime,
): Promise<Staged> {
  const checked = checkedColumns(dimensions, metrics);
  const { sqls, from } = selectedValues(dimensions, raw.table);
  const values = [
    `${time.sql} AS t`,
    ...sqls.map((sql, index) => `${sql} AS c${index}`),
    ...metrics.map(({ input }, index) => `${input} AS m${index}`),
    ...checked.map(({ field, column }) => `${field.sql} IS NOT NULL AS ${column}_given`),
    `${badSql(raw)} AS bad`,
    `${filter} AS wanted`,
  ];
  const lost = checked.map(({ column }) => `(${column}_given AND ${column} IS NULL)`).join(' OR ');
  const fate = `CASE WHEN bad THEN ${fates.bad} WHEN t IS NULL THEN ${fates.untimed} WHEN (${wantedSql(schema)}) IS DISTINCT FROM true THEN ${fates.unwanted} WHEN ${lost || 'false'} THEN ${fates.misfit} ELSE ${fates.good} END`;
  const stored = [
    't',
    ...dimensions.map((_, index) => `c${index}`),
    ...metrics.map((_, index) => `m${index}`),
  ];
  const bins = await distribute(
    session,
    target,
    {
      name: 'rows',
      query: `SELECT ${stored.join(', ')}, (${fate})::UTINYINT AS fate FROM (SELECT ${values.join(', ')} FROM ${from}${time.join})`,
      ...binOf(binKey(target.chunks), target, stored.length),
    },
    stored.length,
  );
  const rows =
    bins.length === 0
      ? []
      : await session.rows(`SELECT fate, count(*) FROM (${union(bins, 'fate')}) GROUP BY fate`);
  const counts = new Map(rows.map(([kind, count]) => [Number(kind), Number(count)]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { bins, counts, total, time };
}

const union = (relations: readonly string[], columns: string) =>
  relations.map((relation) => `SELECT ${columns} FROM ${relation}`).join(' UNION ALL ');

async function countRows(
  loading: Loading,
  { raw, time }: Parts,
  { counts, time: rowTime }: Staged,
): Promise<void> {
  const { stats, files } = loading;
  const of = (fate: number) => counts.get(fate) ?? 0;
  stats.unparseable += of(fates.bad) + of(fates.untimed);
  stats.processedWithError += of(fates.misfit);
  if (stats.unparseable + stats.processedWithError > 0) {
    const failed = `${badSql(raw)} OR (${rowTime.sql}) IS NULL`;
    await judgeFailures(
      loading,
      { raw, files, time },
      `(SELECT * FROM ${numberedRows(raw)}${rowTime.join} WHERE ${failed}) r`,
      'n',
    );
  }
  stats.thrownAway += of(fates.unwanted);
  stats.processed += of(fates.good);
}

const countIn = async (session: Session, relation: string): Promise<number> =>
  Number((await session.rows(`SELECT count(*) FROM ${relation}`))[0]?.[0] ?? 0);
