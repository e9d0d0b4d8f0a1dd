// Sampler: applies the specification of a task or a supervisor to a few rows (Druid:
// api-reference/ingestion-spec-sampler).

import { join } from 'node:path';
import type { SamplerResponse } from '../../contract/tasks.ts';
import { itemType } from '../../model/column-types.ts';
import { depthOf, formatJson, parseJson } from '../../model/json.ts';
import { parseLargeJson, TooManyValues } from '../../model/json-slices.ts';
import { requestLimits } from '../../model/limits.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import { deepestJson, nestedTooDeeply } from '../../sql/runtime/value-limits.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { Refusal } from '../checks/refusals.ts';
import { invalidSpec, SpecFields, type SpecValues } from '../checks/spec-fields.ts';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import type { EngineValue } from '../engine/values.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import { readableFiles } from '../ingestion/avro-files.ts';
import type { DataSchema } from '../ingestion/data-schema.ts';
import { textKind } from '../ingestion/field-types.ts';
import { parseIndexSpec } from '../ingestion/index-spec.ts';
import type { InputFormat } from '../ingestion/input-format.ts';
import {
  checkInputSource,
  checkStoredSource,
  checkUnchanged,
  type InputSource,
  openInput,
} from '../ingestion/input-source.ts';
import {
  convert,
  dimensionsOf,
  type LoadedColumn,
  metricsIn,
  usedTransforms,
  wantedFields,
} from '../ingestion/load-rows.ts';
import type { Metric } from '../ingestion/metrics.ts';
import type { Outside } from '../ingestion/outside.ts';
import { fractionJson } from '../ingestion/pair-metrics.ts';
import { settleTimes } from '../ingestion/parse-failures.ts';
import type { RawField, RawRows, WantedFields } from '../ingestion/raw-rows.ts';
import { queryBucketSql, type RolledMetric, rolledSql } from '../ingestion/roll-up.ts';
import { withRowTimes } from '../ingestion/row-times.ts';
import { stageRawRows } from '../ingestion/stage-raw-rows.ts';
import { type StoredSource, stageStoredRows } from '../ingestion/stored-source.ts';
import { timeText } from '../ingestion/timestamps.ts';
import { applyTransforms } from '../ingestion/transforms.ts';
import { nextTurn } from '../process/turns.ts';
import type { SegmentStore } from '../storage/segment-store.ts';
import { writeLines } from './stream/realtime-files.ts';
import type { OpenReadStream } from './stream/stream.ts';
import { parseStreamSample, sampleStream } from './stream/stream-sample.ts';

export interface SamplerParts {
  readonly engine: Engine;
  readonly segments: SegmentStore;
  readonly outside: Outside;
  readonly now: () => number;
  readonly openStream: OpenReadStream;
}

// Source of rows. Slow work is done before an engine is used.
interface Source {
  readonly schema: DataSchema;
  stage(session: Session): Promise<RawRows>;
}

/**
 * Reads some rows by a specification and returns the result for each. Returns no rows when the
 * specification's `timeoutMs` elapses first. Refuses an invalid specification.
 */
export async function sample(
  body: SpecValues,
  signal: AbortSignal,
  parts: SamplerParts,
): Promise<JsonPieces> {
  const request = new SpecFields(body, '');
  const type = request.type('SamplerSpec', ['index', 'index_parallel', 'kafka']);
  const config = request.optionalObject('samplerConfig');
  const maxRows = Math.min(Math.max(1, config?.integer('numRows', 200) ?? 200), 5000);
  const timeoutMs = config?.integer('timeoutMs', defaultTimeoutMs) ?? defaultTimeoutMs;
  // A stream may never have that many rows.
  const limitMs = timeoutMs > 0 ? timeoutMs : type === 'kafka' ? defaultTimeoutMs : undefined;
  const inTime =
    limitMs === undefined
      ? signal
      : AbortSignal.any([signal, AbortSignal.timeout(Math.min(limitMs, longestTimerMs))]);
  const name = `sampler-${parts.now()}-${++samples}`;
  const given =
    type === 'kafka'
      ? streamSource(request.object('spec'), parts)
      : batchSource(request.object('spec'), parts);
  const stagingFolder = await parts.segments.makeStagingFolder(name);
  try {
    const { schema: dataSchema, stage } = await given({ maxRows, stagingFolder, signal: inTime });
    const response = await parts.engine.session(
      async (session) => convertSample(session, dataSchema, await stage(session), parts.now),
      { signal, timeoutMs },
    );
    return textOf(response);
  } catch (error) {
    if (error instanceof Refusal && error.category === 'timeout') return textOf(nothingRead);
    if (inTime.aborted && !signal.aborted) return textOf(nothingRead);
    // Rows that the specification does not fit, such as points with one coordinate, and lookups
    // that ingestion has not.
    if (
      error instanceof SqlError ||
      (error instanceof Refusal && error.category === 'runtimeFailure')
    )
      throw invalidSpec(error.message);
    throw error;
  } finally {
    await parts.segments.removeStagingFolder(name);
  }
}

// The rows are written one by one, since all of them would occupy the event loop.
const textOf = ({ data, ...head }: SamplerResponse): JsonPieces =>
  JsonPieces.extend(
    head,
    'data',
    JsonPieces.list(data, (row) => formatJson(row)),
  );

// The rows as the task would store them, beside their inputs.
async function convertSample(
  session: Session,
  dataSchema: DataSchema,
  sampled: RawRows,
  now: () => number,
): Promise<SamplerResponse> {
  const raw = await withRowTimes(session, dataSchema, sampled);
  const inputs = new Map(raw.fields);
  const context = { timestampSpec: dataSchema.timestampSpec, nowMs: now() };
  const fields = await applyTransforms(session, raw, usedTransforms(dataSchema, raw), context);
  const time = raw.fields.get(dataSchema.timestampSpec.column);
  const dimensions = await dimensionsOf(session, dataSchema, { raw, fields, time }, context);
  const metrics = await metricsIn(session, dataSchema, raw, fields, context);
  const stats = {
    processed: 0,
    processedBytes: 0,
    processedWithError: 0,
    thrownAway: 0,
    unparseable: 0,
  };
  await convert({ session, schema: dataSchema, stats, now }, raw, fields, dimensions, metrics);
  await settleTimes(session, raw, dataSchema, time);
  const { data, kept, filled, ...counts } = await sampleRows(
    session,
    inputs,
    time,
    dimensions.map((column) => ({
      ...column,
      asRead: dimensionsOfColumn(column, dataSchema).isAsRead ? fields.get(column.name) : undefined,
      hasField: isDiscovered(column, dataSchema) ? raw.hasField?.get(column.name) : undefined,
    })),
    metrics,
    raw,
    dataSchema,
  );
  // Rows that are left out add no columns and decide no type.
  const columns = dimensions.map((column) =>
    dimensionsOfColumn(
      column.discovered && !filled.has(column.name) ? { ...column, type: 'STRING' } : column,
      dataSchema,
    ),
  );
  const byName = new Map(columns.map((column) => [column.schema.name, column]));
  const names = [...dataSchema.dimensionsSpec.dimensions.map(({ name }) => name), ...kept];
  const stored = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
  const schema = [
    { name: '__time', type: 'LONG' },
    ...stored.map((column) => column.schema),
    ...metrics.map(({ name, type }) => ({ name, type })),
  ];
  return {
    ...counts,
    logicalDimensions: stored.map(({ logical }) => logical),
    physicalDimensions: stored.map(({ physical }) => physical),
    logicalSegmentSchema: schema,
    data: stored.length === columns.length ? data : await withColumns(data, schema),
  };
}

async function withColumns(
  rows: readonly SampledRow[],
  columns: readonly { readonly name: string }[],
): Promise<SampledRow[]> {
  const names = new Set(columns.map(({ name }) => name));
  const shown: SampledRow[] = [];
  for (const { parsed, ...row } of rows) {
    const kept = parsed && Object.entries(parsed).filter(([name]) => names.has(name));
    shown.push({ ...row, ...(kept && { parsed: Object.fromEntries(kept) }) });
    await nextTurn();
  }
  return shown;
}

const defaultTimeoutMs = 10_000;

interface SampleLimits {
  readonly maxRows: number;
  readonly stagingFolder: string;
  readonly signal: AbortSignal;
}

function batchSource(fields: SpecFields, parts: SamplerParts) {
  const { inputSource, inputFormat, dataSchema } = parseIndexSpec(fields);
  if (inputSource.type === 'druid') return storedSource(inputSource, dataSchema, parts);
  if (!inputFormat) throw invalidSpec('Files are read without a format');
  return fileSource({ inputSource, inputFormat, dataSchema }, parts);
}

function storedSource(source: StoredSource, schema: DataSchema, { segments, now }: SamplerParts) {
  checkStoredSource(source, segments);
  return async ({ maxRows }: SampleLimits): Promise<Source> => ({
    schema,
    async stage(session) {
      const wanted = { ...sampledFields(schema), maxRows };
      return (
        await stageStoredRows(source, 'raw_rows', wanted, { session, segments, nowMs: now() })
      ).raw;
    },
  });
}

interface FileInput {
  readonly inputSource: InputSource;
  readonly inputFormat: InputFormat;
  readonly dataSchema: DataSchema;
}

function fileSource(
  { inputSource, inputFormat, dataSchema }: FileInput,
  { engine, outside }: SamplerParts,
) {
  checkInputSource(inputSource, outside);
  return async ({ maxRows, stagingFolder, signal }: SampleLimits): Promise<Source> => ({
    schema: dataSchema,
    async stage(session) {
      const place = { outside, stagingFolder, memory: engine.memory, signal };
      const open = async () =>
        readableFiles(await openInput(inputSource, place), inputFormat, place, maxRows);
      const files = await session.aside(() => open().catch(refuseUnread));
      const wanted = { ...sampledFields(dataSchema), maxRows };
      const raw = await stageRawRows(
        session,
        'raw_rows',
        files,
        inputFormat,
        wanted,
        stagingFolder,
      ).catch(refuseUnread);
      await checkUnchanged(files).catch(refuseUnread);
      return raw;
    },
  });
}

function streamSource(fields: SpecFields, { outside, openStream }: SamplerParts) {
  const spec = parseStreamSample(fields, outside);
  return async ({ maxRows, stagingFolder, signal }: SampleLimits): Promise<Source> => {
    const rows = await sampleStream(spec, maxRows, openStream, signal);
    const { files, format } = await writeLines(rows, spec.format, {
      name: 'records',
      path: join(stagingFolder, 'records'),
    });
    const wanted = { ...sampledFields(spec.dataSchema), maxRows };
    return {
      schema: spec.dataSchema,
      stage: (session) => stageRawRows(session, 'raw_rows', files, format, wanted, stagingFolder),
    };
  };
}

// The reply shows whole rows, not only the fields of the schema.
const sampledFields = (schema: DataSchema): WantedFields => ({
  ...wantedFields(schema),
  discover: true,
  whole: true,
});

// Unreadable files are a fault of the request.
function refuseUnread(error: unknown): never {
  throw error instanceof Error && !(error instanceof Refusal) && error.name === 'Error'
    ? invalidSpec(error.message)
    : error;
}

// On a timeout, the real engine returns the rows read so far (Druid:
// TimedShutoffInputSourceReader); here rows are read all at once.
const nothingRead: SamplerResponse = {
  numRowsRead: 0,
  numRowsIndexed: 0,
  logicalDimensions: [],
  physicalDimensions: [],
  logicalSegmentSchema: [{ name: '__time', type: 'LONG' }],
  data: [],
};

type SampledRow = SamplerResponse['data'][number];

let samples = 0;

const plainNumbers: ReadonlySet<string> = new Set(['long', 'double', 'float']);

// The engine stores a column whose type the rows decide as `auto`. In the logical form, a found
// column has its plain type, and a column of the specification the type given there (Druid:
// IncrementalIndex, AutoTypeColumnSchema).
function dimensionsOfColumn({ name, type }: LoadedColumn, { dimensionsSpec }: DataSchema) {
  const named = dimensionsSpec.dimensions.find((dimension) => dimension.name === name);
  const castToType = named?.castToType;
  const form = (shownType: string) => ({
    type: shownType,
    name,
    ...(castToType !== undefined && { castToType }),
    ...(shownType === 'json' && { formatVersion: 5 }),
    multiValueHandling: named?.multiValueHandling ?? 'SORTED_ARRAY',
    createBitmapIndex: !plainNumbers.has(shownType),
    ...(named?.dims && { dims: named.dims }),
  });
  const plainType = /^(COMPLEX|ARRAY)/.test(type) ? 'auto' : type.toLowerCase();
  const logicalType = named?.type ?? plainType;
  const isAuto = named ? named.type === 'json' : dimensionsSpec.useSchemaDiscovery;
  const physical = form(isAuto ? 'auto' : logicalType);
  return {
    schema: { name, type },
    logical: form(logicalType),
    physical,
    isAsRead: physical.type === 'auto' && castToType === undefined,
  };
}

interface SampledColumn extends LoadedColumn {
  // The field whose values the engine shows unchanged
  readonly asRead: RawField | undefined;
  readonly hasField: string | undefined; // the column that tells whether a row has the field
}

const isDiscovered = ({ name }: LoadedColumn, { dimensionsSpec }: DataSchema): boolean =>
  !dimensionsSpec.dimensions.some((dimension) => dimension.name === name);

async function sampleRows(
  session: Session,
  inputs: ReadonlyMap<string, RawField>,
  time: RawField | undefined,
  dimensions: readonly SampledColumn[],
  metrics: readonly Metric[],
  raw: RawRows,
  { granularitySpec: { queryGranularity, rollup }, dimensionsSpec }: DataSchema,
) {
  const { line, present, badLine } = raw;
  // Lines of JSON show the rows themselves: it takes long to plan hundreds of fields.
  const fields = line === undefined ? [...inputs.values()] : [];
  const columns = [...dimensions, ...metrics];
  const texts = new Set(
    dimensions.filter(({ type, asRead }) => type === 'STRING' && !asRead).map(({ name }) => name),
  );
  const stored = columns.map((column, index) =>
    'asRead' in column && column.asRead
      ? where(column.hasField, inputText(column.asRead, raw))
      : storedText(column, `k.c${index}`),
  );
  const values = [
    badLine === undefined ? 'NULL' : `r.${badLine}`,
    line === undefined ? 'NULL' : `r.${line}`,
    present === undefined ? 'NULL' : `r.${present}`,
    'c.t',
    'k.t',
    time ? timeText({ ...time, sql: `r.${time.sql}` }) : 'NULL',
    `concat_ws(',', ${misfits(dimensions, metrics).join(', ') || 'NULL'})`,
    ...fields.map((field) => inputText(field, raw)),
    ...stored,
  ];
  const bucket = await queryBucketSql(session, queryGranularity);
  // The first of the rows that a rollup merges shows them
  const first: RolledMetric = { combined: (row) => `min(${row})` };
  const merged = rolledSql(
    `(SELECT *, rowid AS m${metrics.length} FROM converted_rows WHERE t IS NOT NULL AND wanted)`,
    bucket,
    { numDimensions: dimensions.length, metrics: [...metrics, first], rollup },
  );
  const { chunks } = await session.query(
    `SELECT ${values.join(', ')} FROM raw_rows r JOIN converted_rows c ON c.rowid = r.rowid LEFT JOIN (${merged}) k ON k.c${columns.length} = r.rowid WHERE c.bad OR c.t IS NULL OR c.wanted ORDER BY r.rowid`,
  );
  const names = columns.map(({ name }) => name);
  const inputNames = fields.map(({ name }) => name);
  const found = new Set(raw.found);
  const kept = new Set<string>(); // fields found in rows that are stored
  const filled = new Set<string>(); // columns with values there
  // A file of values has the same fields in all rows (Druid: MapInputRowParser.findDimensions).
  const dimensionsIn = (input: Readonly<Record<string, unknown>>): readonly string[] =>
    present === undefined
      ? [
          ...(raw.flattened ?? []),
          ...Object.keys(input).filter((name) => found.has(name) && isFound(input[name])),
        ]
      : raw.found;
  const isFound = (value: unknown) =>
    value === null ? raw.keepsNulls : dimensionsSpec.useSchemaDiscovery || isFlat(value);
  const sampled: SampledRow[] = [];
  let [numRowsRead, numRowsIndexed] = [0, 0];
  const shownRow = async (cells: EngineValue[]): Promise<SampledRow | undefined> => {
    const [bad, whole, held, read, ms, text, misfit, ...values] = cells;
    if (typeof bad === 'string') return unparseable(`Unable to parse row [${bad}]`);
    // Its JSON could not be written again.
    if ([whole, ...values].some(isTooDeep)) return unparseable(nestedTooDeeply().message);
    const fieldNames = typeof held === 'string' ? new Set(parseJson(held) as string[]) : undefined;
    const input =
      typeof whole === 'string'
        ? await objectOfLine(whole)
        : await objectOf(inputNames, values, fieldNames);
    if (!input) return unparseable(`Unable to parse row [${whole}]`);
    if (typeof read !== 'number')
      return {
        input,
        ...unparseable(`Timestamp[${text}] is unparseable! Event: ${formatJson(input)}`),
      };
    const fits = misfit === '';
    if (fits) numRowsIndexed++;
    const fault = fits
      ? undefined
      : unparseable(
          `Found unparseable columns in row: [${formatJson(input)}], exceptions: [${misfit}]`,
        );
    if (typeof ms !== 'number') return fault && { input, ...fault };
    if (kept.size < found.size) for (const name of dimensionsIn(input)) kept.add(name);
    const nulls = Object.fromEntries(names.map((name) => [name, null])); // each row has all columns
    const parsed = Object.entries(await objectOf(names, values.slice(fields.length))).map(
      ([name, value]) => [name, texts.has(name) ? one(value) : value] as const,
    );
    for (const [name, value] of parsed) if (value !== null) filled.add(name);
    return { input, parsed: { __time: ms, ...nulls, ...Object.fromEntries(parsed) }, ...fault };
  };
  let length = 0;
  for await (const { rowCount, columns } of chunks) {
    for (let at = 0; at < rowCount; at++) {
      const cells = columns.map((column) => column[at] ?? null);
      length += cells.reduce<number>((sum, cell) => sum + lengthOf(cell), 0);
      if (sampled.length > 0 && length > longest)
        return { numRowsRead, numRowsIndexed, kept, filled, data: sampled };
      numRowsRead++;
      const row = await shownRow(cells).catch(refuseTooManyValues);
      if (row) sampled.push(row);
      await nextTurn();
    }
  }
  return { numRowsRead, numRowsIndexed, kept, filled, data: sampled };
}

// The letters of the rows in a reply. Further rows are not shown.
const longest = requestLimits.bodyBytes.most;

const lengthOf = (cell: EngineValue) => (typeof cell === 'string' ? cell.length : 0);

const unparseable = (error: string) => ({ unparseable: true, error });

function refuseTooManyValues(error: unknown) {
  if (!(error instanceof TooManyValues)) throw error;
  const { most } = requestLimits.bodyValues;
  return unparseable(`The row has more than [${most}] values, too many to show`);
}

const isTooDeep = (cell: unknown) => typeof cell === 'string' && depthOf(cell) > deepestJson;

const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' ||
  (Array.isArray(value) && value.every((item) => item === null || typeof item !== 'object'));

// Only several values form a list in a text dimension.
const one = (value: unknown) =>
  Array.isArray(value) && value.length < 2 ? (value[0] ?? null) : value;

const where = (condition: string | undefined, text: string): string =>
  condition === undefined ? text : `CASE WHEN r.${condition} THEN ${text} END`;

function inputText(
  { sql, kind }: RawField,
  { listDelimiter, parseNumbers }: Pick<RawRows, 'listDelimiter' | 'parseNumbers'>,
): string {
  const field = `r.${sql}`;
  if (kind === 'json')
    return `CASE json_type(${field}) WHEN 'DOUBLE' THEN ${fractionJson(`${field}::DOUBLE`)} WHEN 'ARRAY' THEN to_json(list_transform(json_extract(${field}, '$[*]'), lambda item: CASE json_type(item) WHEN 'DOUBLE' THEN ${fractionJson('item::DOUBLE')} ELSE item END)) ELSE to_json(${field}) END::VARCHAR`;
  // The text of a number is JSON.
  const shown = (text: string) =>
    parseNumbers
      ? `CASE ${textKind(text)} WHEN 'VARCHAR' THEN to_json(${text}) ELSE ${text}::JSON END`
      : `to_json(${text})`;
  if (listDelimiter === undefined) return `(${shown(field)})::VARCHAR`;
  const delimiter = quote(listDelimiter);
  const items = `list_transform(string_split(${field}, ${delimiter}), lambda item: ${shown('item')})`;
  return `(CASE WHEN contains(${field}, ${delimiter}) THEN to_json(${items}) ELSE ${shown(field)} END)::VARCHAR`;
}

// The stored value of a column as JSON.
function storedText({ type }: { readonly type: string }, sql: string): string {
  const item = itemType(type);
  if (!['DOUBLE', 'FLOAT'].includes(item ?? type)) return `to_json(${sql})::VARCHAR`;
  return item === undefined
    ? `${fractionJson(sql)}::VARCHAR`
    : `to_json(list_transform(${sql}, lambda v: ${fractionJson('v')}))::VARCHAR`;
}

// DuckDB texts, one for each column: the error of a value that cannot be converted to the type of
// its column, or null.
function misfits(dimensions: readonly SampledColumn[], metrics: readonly Metric[]): string[] {
  const said = (field: RawField, column: string, before: string, after: string) => {
    const value = field.kind === 'json' ? `(r.${field.sql} ->> '$')` : `r.${field.sql}`;
    return `CASE WHEN r.${field.sql} IS NOT NULL AND c.${column} IS NULL THEN concat(${quote(before)}, ${value}, ${quote(after)}) END`;
  };
  return [
    ...dimensions.flatMap(({ name, type, field, checked }, index) => {
      const after = `] to ${type.toLowerCase()} for dimension [${name}].`;
      return field && checked ? said(field, `c${index}`, 'Could not convert value [', after) : [];
    }),
    ...metrics.flatMap(({ field }, index) =>
      field ? said(field, `m${index}`, 'Unable to parse value[', `] for field[${field.name}]`) : [],
    ),
  ];
}

// The row itself, with the fields that are null. Undefined for what only DuckDB reads as JSON.
async function objectOfLine(line: string): Promise<Record<string, unknown> | undefined> {
  try {
    return (await jsonOf(line)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof TooManyValues) throw error;
    return undefined;
  }
}

// With the names among `nulls` whose cell is null.
async function objectOf(
  names: readonly string[],
  cells: readonly unknown[],
  nulls?: ReadonlySet<string>,
): Promise<Record<string, unknown>> {
  const members: [string, unknown][] = [];
  for (const [index, name] of names.entries()) {
    const cell = cells[index];
    if (typeof cell === 'string') members.push([name, await jsonOf(cell)]);
    else if (nulls?.has(name)) members.push([name, null]);
  }
  return Object.fromEntries(members);
}

const jsonOf = async (text: string): Promise<unknown> =>
  text.length < smallLength
    ? parseJson(text)
    : parseLargeJson(text, {
        deepest: deepestJson,
        mostValues: requestLimits.bodyValues.most,
        pause: nextTurn,
      });

const smallLength = 32 * 1024; // is parsed within a millisecond
