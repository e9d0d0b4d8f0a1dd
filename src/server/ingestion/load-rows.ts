// Loading of files into a temporary table: read, convert, set time, filter, roll up.
import type { SegmentColumn } from '../../model/segment.ts';
import { serialize } from '../engine/native-types.ts';
import type { Session } from '../engine/session.ts';
import {
  asJson,
  type ColumnValue,
  dimensionValue,
  selectedValues,
  spatialValue,
} from './column-values.ts';
import { chunksOf, type DataSchema } from './data-schema.ts';
import {
  autoDimension,
  type IngestedDimension,
  isTypedByValues,
  stringDimension,
} from './dimensions.ts';
import { flatSql } from './field-types.ts';
import { keptTypesOf, type ReadFields } from './kept-rows.ts';
import type { Loading } from './loading.ts';
import { filteredMetric, inputsOf, type Metric, metricOf } from './metrics.ts';
import type { Bins } from './overflow.ts';
import { checkedColumns, ParseFailures, wantedSql } from './parse-failures.ts';
import { numberedRows, type RawField, type RawRows } from './raw-rows.ts';
import { rollUp } from './roll-up.ts';
import { withRowTimes } from './row-times.ts';
import { valueCount } from './stored-values.ts';
import { millisSqlOf, rowTimeSql } from './timestamps.ts';
import {
  applyTransforms,
  fieldsOfTransforms,
  filterColumns,
  filterSql,
  movesTime,
  type RowContext,
  type TransformSpec,
} from './transforms.ts';

export interface LoadedRows {
  // Columns `t` (milliseconds), then `c0`, `c1`, ... for `columns` without __time
  readonly table: string;
  readonly bins?: Bins; // of rows that are too many for memory
  readonly columns: readonly SegmentColumn[]; // __time first
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly discovered: readonly string[]; // columns whose type is derived from their values
  // Dimensions that a segment without values for them omits
  readonly omittable: readonly string[];
  readonly numRows: number;
}

/** Loads rows; throws when a file cannot be read, or when more rows than allowed are unreadable. */
export async function loadRows(loading: Loading): Promise<LoadedRows> {
  const { session, files, stage, schema, stats, log } = loading;
  const raw = await withRowTimes(session, schema, await stage(wantedFields(schema)));
  if (files.length > 0)
    stats.processedBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const total = await countOf(session, raw.table);
  log(`Read [${total}] rows from [${files.length}] files with [${raw.fields.size}] fields`);
  const context = { timestampSpec: schema.timestampSpec, nowMs: loading.now() };
  const fields = await applyTransforms(session, raw, usedTransforms(schema, raw), context);
  const time = raw.fields.get(schema.timestampSpec.column);
  const dimensions = await dimensionsOf(session, schema, { raw, fields, time }, context);
  const metrics = await metricsOf(session, schema, raw, fields, context);
  await convert(loading, raw, fields, dimensions, metrics);
  const failures = new ParseFailures(loading, raw, files, time);
  await failures.settle(checkedColumns(dimensions, metrics));
  await session.run(`DROP TABLE ${raw.table}`);
  const columns = await finish(loading, dimensions, metrics);
  const numRows = await countOf(session, 'loaded_rows');
  log(
    `Kept [${stats.processed}] rows: [${stats.unparseable}] unparseable, [${stats.thrownAway}] thrown away, [${stats.processedWithError}] with errors; [${numRows}] to store`,
  );
  return {
    table: 'loaded_rows',
    columns,
    dimensions: dimensions.map(({ name }) => name),
    metrics: schema.metrics.map(({ name }) => name),
    discovered: dimensions.filter(({ discovered }) => discovered).map(({ name }) => name),
    omittable: await omittableOf(session, schema, dimensions, 'loaded_rows'),
    numRows,
  };
}

/** The metrics of a schema, in the order of the real engine's segments. */
export const metricsOf = (
  session: Session,
  schema: DataSchema,
  raw: RawRows,
  fields: ReadonlyMap<string, RawField>,
  context: RowContext,
): Promise<readonly Metric[]> =>
  metricsIn(session, { ...schema, metrics: sortByName(schema.metrics) }, raw, fields, context);

/** The metrics of a schema, in its order. */
export async function metricsIn(
  session: Session,
  { metrics, transformSpec }: DataSchema,
  raw: RawRows,
  fields: ReadonlyMap<string, RawField>,
  context: RowContext,
): Promise<readonly Metric[]> {
  const found: Metric[] = [];
  for (const aggregator of metrics) {
    const { filter, type, fieldName = '', pair } = aggregator;
    const field = fields.get(fieldName);
    const metric = metricOf(
      aggregator,
      pair && field ? asJson(raw, field) : field,
      fields.get(pair?.timeColumn ?? ''),
    );
    if (!filter) found.push(metric);
    else {
      const spec = { ...transformSpec, filter };
      const condition = await filterSql(session, raw, fields, spec, context);
      found.push(filteredMetric(metric, type, condition));
    }
  }
  return found;
}

// In the order of the real engine's segments (Druid: IndexMerger.mergeIndexed).
const sortByName = <Named extends { readonly name: string }>(list: readonly Named[]): Named[] =>
  [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * Discovered dimensions. If a specification requests all dimensions, those without values in the
 * table are stored, too (Druid: storeEmptyColumns).
 */
export async function omittableOf(
  session: Session,
  { dimensionsSpec }: DataSchema,
  dimensions: readonly LoadedColumn[],
  table: string,
): Promise<readonly string[]> {
  const named = new Set(dimensionsSpec.dimensions.map(({ name }) => name));
  const found = dimensions.flatMap(({ name, multiValue }, index) =>
    named.has(name) ? [] : { name, multiValue, column: `c${index}` },
  );
  if (
    found.length === 0 ||
    !(dimensionsSpec.includeAllDimensions || dimensionsSpec.useSchemaDiscovery)
  )
    return found.map(({ name }) => name);
  const [counts = []] = await session.rows(
    `SELECT ${found.map((dimension) => valueCount(dimension, dimension.column)).join(', ')} FROM ${table}`,
  );
  return found.flatMap(({ name }, index) => (Number(counts[index]) > 0 ? name : []));
}

/** A stored dimension. */
export interface LoadedColumn extends ColumnValue {
  readonly name: string;
  readonly discovered: boolean;
}

const countOf = async (session: Session, relation: string): Promise<number> =>
  Number((await session.rows(`SELECT count(*) FROM ${relation}`))[0]?.[0] ?? 0);

/** The fields of the input that a schema needs. */
export function wantedFields({
  timestampSpec,
  dimensionsSpec,
  metrics,
  transformSpec,
}: DataSchema) {
  const { dimensions, includeAllDimensions, useSchemaDiscovery } = dimensionsSpec;
  const own = dimensions.flatMap(({ name, dims = [] }) => [name, ...dims]);
  const named = [timestampSpec.column, ...own, ...inputsOf(metrics)];
  return {
    names: [...new Set([...named, ...fieldsOfTransforms(transformSpec)])],
    discover: includeAllDimensions || useSchemaDiscovery || dimensions.length === 0,
    discoverNulls: useSchemaDiscovery,
    replaced: transformSpec.transforms.map(({ name }) => name),
  };
}

/** The transforms whose results are read: the engine never computes the others. */
export function usedTransforms(
  { dimensionsSpec, metrics, transformSpec }: DataSchema,
  { found }: Pick<RawRows, 'found'>,
): TransformSpec {
  const { filter, transforms } = transformSpec;
  const read = new Set([
    '__time',
    ...dimensionsSpec.dimensions.flatMap(({ name, dims = [] }) => [name, ...dims]),
    ...found,
    ...metrics.flatMap(({ fieldName = [] }) => fieldName),
    ...inputsOf(metrics),
    ...(filter ? filterColumns(filter) : []),
  ]);
  return { ...transformSpec, transforms: transforms.filter(({ name }) => read.has(name)) };
}

/**
 * The columns of a schema: named ones, and discovered ones if the specification allows. Inputs of
 * metrics are not dimensions.
 */
export async function dimensionsOf(
  session: Session,
  schema: DataSchema,
  read: ReadFields,
  context: RowContext,
): Promise<LoadedColumn[]> {
  const { raw, fields } = read;
  const {
    dimensions: named,
    exclusions,
    includeAllDimensions,
    useSchemaDiscovery,
  } = schema.dimensionsSpec;
  // These are not dimensions of their own
  const coordinates = new Set(named.flatMap(({ dims = [] }) => dims));
  const taken = new Set([
    ...named.map(({ name }) => name),
    ...coordinates,
    ...exclusions,
    schema.timestampSpec.column,
    ...schema.metrics.map(({ name }) => name),
    ...inputsOf(schema.metrics),
    '__time',
  ]);
  const discovers = includeAllDimensions || useSchemaDiscovery || named.length === 0;
  const others = discovers ? raw.found.filter((name) => !taken.has(name) && canBeColumn(name)) : [];
  const dimensions: readonly IngestedDimension[] = [
    ...named.filter(({ name }) => name !== '__time'),
    ...others.map(useSchemaDiscovery ? autoDimension : stringDimension),
  ];
  const typed = dimensions
    .filter((dimension) => dimension.type === 'string' || isTypedByValues(dimension))
    .flatMap(({ name }) => fields.get(name) ?? []);
  const types = await keptTypesOf(session, schema, read, typed, context);
  // Without type discovery, objects and nested lists are discovered only by a flattenSpec: a field
  // is discovered in the first row with another value, and null in rows with such a value.
  const takesAll = ({ name }: IngestedDimension) =>
    useSchemaDiscovery ||
    raw.flattened?.has(name) ||
    named.some((dimension) => dimension.name === name) ||
    types.get(name)?.isFlat !== false;
  const partly = new Set(
    dimensions
      .filter((dimension) => !takesAll(dimension) && types.get(dimension.name)?.ofFlat)
      .map(({ name }) => name),
  );
  const discovered = new Set(others);
  const plainValue = (dimension: IngestedDimension) => {
    const { name } = dimension;
    const known = coordinates.has(name) ? undefined : fields.get(name);
    const field =
      known && discovered.has(name) ? whereFound(raw, known, useSchemaDiscovery) : known;
    if (!field || !partly.has(name)) return dimensionValue(dimension, raw, field, types.get(name));
    const flat = { ...field, sql: `CASE WHEN ${flatSql(field.sql)} THEN ${field.sql} END` };
    return dimensionValue(dimension, raw, flat, types.get(name)?.ofFlat);
  };
  const stored = dimensions.filter(
    (dimension) => takesAll(dimension) || partly.has(dimension.name),
  );
  const ordered =
    partly.size > 0 ? await inOrderOfFlat(session, raw, fields, stored, named.length) : stored;
  return ordered.map((dimension) => ({
    name: dimension.name,
    discovered: isTypedByValues(dimension) && dimension.castToType === undefined,
    ...(dimension.type === 'spatial'
      ? spatialValue(dimension, raw, fields)
      : plainValue(dimension)),
  }));
}

// A field that a transform replaces, of rows in which the input has it: others lack the dimension
// (Druid: IncrementalIndex).
function whereFound(raw: RawRows, field: RawField, findsAll: boolean): RawField {
  const given = raw.fields.get(field.name);
  if (!given || given.kind === 'text' || given.sql === field.sql || raw.flattened?.has(field.name))
    return field;
  const has = raw.keepsNulls ? raw.hasField?.get(field.name) : `${given.sql} IS NOT NULL`;
  const conditions = [...(has ? [has] : []), ...(findsAll ? [] : [flatSql(given.sql)])];
  if (conditions.length === 0) return field;
  return { ...field, sql: `CASE WHEN ${conditions.join(' AND ')} THEN ${field.sql} END` };
}

// Discovered dimensions in the order of their first rows with a flat value.
async function inOrderOfFlat(
  session: Session,
  raw: RawRows,
  fields: ReadonlyMap<string, RawField>,
  dimensions: readonly IngestedDimension[],
  numNamed: number,
): Promise<readonly IngestedDimension[]> {
  const values = dimensions.map(({ name }) => {
    const { sql = 'NULL', kind = 'json' } = fields.get(name) ?? {};
    return kind === 'json' ? sql : `to_json(${sql})`;
  });
  const found = await session.rows(
    `SELECT place, min(n) FROM (SELECT n, unnest(range(${values.length})) AS place, unnest([${values.join(', ')}]) AS value FROM ${numberedRows(raw)}) WHERE value IS NOT NULL AND ${flatSql('value')} GROUP BY place`,
  );
  const rows = new Map(found.map(([place, row]) => [Number(place), Number(row)]));
  return dimensions
    .map((dimension, place) => {
      const isFirst = place < numNamed || raw.flattened?.has(dimension.name);
      return { dimension, row: isFirst ? -1 : (rows.get(place) ?? Infinity) };
    })
    .sort((a, b) => (a.row === b.row ? 0 : a.row - b.row))
    .map(({ dimension }) => dimension);
}

// SQL cannot refer to an empty name, or to one with a NUL.
const canBeColumn = (name: string): boolean => name !== '' && !name.includes('\0');

/**
 * Creates the table `converted_rows` from raw rows: the time, the time after a transform (`moved`),
 * dimensions, inputs of metrics, and whether a row is bad or wanted.
 */
export async function convert(
  { session, schema, stats, now }: Pick<Loading, 'session' | 'schema' | 'stats' | 'now'>,
  raw: RawRows,
  fields: ReadonlyMap<string, RawField>,
  dimensions: readonly LoadedColumn[],
  metrics: readonly Metric[],
): Promise<void> {
  const { sqls, from } = selectedValues(dimensions, raw.table);
  const values = [
    `${rowTimeSql(schema.timestampSpec, raw)} AS t`,
    ...(movesTime(schema) ? [`${millisSqlOf(fields.get('__time'))} AS moved`] : []),
    ...sqls.map((sql, index) => `${sql} AS c${index}`),
    ...metrics.map(({ input }, index) => `${input} AS m${index}`),
  ];
  const filter = await filterSql(session, raw, fields, schema.transformSpec, {
    timestampSpec: schema.timestampSpec,
    nowMs: now(),
  });
  const bad = raw.badLine === undefined ? 'false' : `${raw.badLine} IS NOT NULL`;
  await session.run(
    `CREATE TEMP TABLE converted_rows AS SELECT ${values.join(', ')}, ${bad} AS bad, ${filter} AS wanted FROM ${from}`,
  );
  stats.unparseable +=
    raw.badLine === undefined ? 0 : await countOf(session, 'converted_rows WHERE bad');
}

async function finish(
  { session, schema, stats }: Loading,
  dimensions: readonly LoadedColumn[],
  metrics: readonly Metric[],
): Promise<SegmentColumn[]> {
  const { granularitySpec } = schema;
  const before = await countOf(session, 'converted_rows');
  await session.run(
    `DELETE FROM converted_rows WHERE (${wantedSql(schema)}) IS DISTINCT FROM true`,
  );
  const kept = await countOf(session, 'converted_rows');
  stats.thrownAway += before - kept;
  stats.processed += Math.max(0, kept - stats.processedWithError);
  await rollUp(session, dimensions.length, metrics, granularitySpec, chunksOf(granularitySpec));
  return [
    { name: '__time', type: 'LONG', multiValue: false },
    ...dimensions.map(({ name, type, multiValue }) => ({ name, type, multiValue })),
    ...metrics.map(({ name, type }) => serialize({ name, type, multiValue: false })),
  ];
}
