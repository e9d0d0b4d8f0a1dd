// Sampler: applies the specification of a task or a supervisor to a few rows (Druid:
// api-reference/ingestion-spec-sampler).

import { join } from 'node:path';
import type { SamplerResponse } from '../../contract/tasks.ts';
import { depthOf } from '../../model/json.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import { deepestJson, nestedTooDeeply } from '../../sql/runtime/value-limits.ts';
import { Refusal } from '../checks/refusals.ts';
import { invalidSpec, SpecFields, type SpecValues } from '../checks/spec-fields.ts';
import type { Engine } from '../engine/engine.ts';
import { duckdbTypeOf } from '../engine/native-types.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import { readableFiles } from '../ingestion/avro-files.ts';
import type { DataSchema } from '../ingestion/data-schema.ts';
import { parseIndexSpec } from '../ingestion/index-spec.ts';
import type { InputFormat } from '../ingestion/input-format.ts';
import {
  checkInputSource,
  checkStoredSource,
  checkUnchanged,
  type InputSource,
  openInput,
} from '../ingestion/input-source.ts';
import { convert, dimensionsOf, type LoadedColumn, wantedFields } from '../ingestion/load-rows.ts';
import { metricOf } from '../ingestion/metrics.ts';
import type { Outside } from '../ingestion/outside.ts';
import {
  type RawField,
  type RawRows,
  stageRawRows,
  type WantedFields,
} from '../ingestion/raw-rows.ts';
import { type StoredSource, stageStoredRows } from '../ingestion/stored-source.ts';
import { slowTime, timeText } from '../ingestion/timestamps.ts';
import { applyTransforms, movesTime } from '../ingestion/transforms.ts';

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
): Promise<SamplerResponse> {
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
    return await parts.engine.session(
      async (session) => convertSample(session, dataSchema, await stage(session), parts.now),
      { signal, timeoutMs },
    );
  } catch (error) {
    if (error instanceof Refusal && error.category === 'timeout') return nothingRead;
    if (inTime.aborted && !signal.aborted) return nothingRead;
    // Rows that the specification does not fit, such as points with one coordinate.
    if (error instanceof Refusal && error.category === 'runtimeFailure')
      throw invalidSpec(error.message);
    throw error;
  } finally {
    await parts.segments.removeStagingFolder(name);
  }
}

// The rows as the task would store them, beside their inputs.
async function convertSample(
  session: Session,
  dataSchema: DataSchema,
  raw: RawRows,
  now: () => number,
): Promise<SamplerResponse> {
  const inputs = new Map(raw.fields);
  const fields = await applyTransforms(session, raw, dataSchema.transformSpec, {
    timestampSpec: dataSchema.timestampSpec,
    nowMs: now(),
  });
  const dimensions = await dimensionsOf(session, dataSchema, raw, fields);
  const metrics = dataSchema.metrics.map((aggregator) =>
    metricOf(aggregator, fields.get(aggregator.fieldName ?? '')),
  );
  const time = raw.fields.get(dataSchema.timestampSpec.column);
  const stats = {
    processed: 0,
    processedBytes: 0,
    processedWithError: 0,
    thrownAway: 0,
    unparseable: 0,
  };
  await convert(
    { session, schema: dataSchema, stats, now },
    raw,
    fields,
    time,
    dimensions,
    metrics,
  );
  const columns = dimensions.map((column) => dimensionsOfColumn(column, dataSchema));
  const data = await sampleRows(
    session,
    inputs,
    time,
    dataSchema.timestampSpec.format,
    dimensions.map((column, index) => ({
      ...column,
      asRead: columns[index]?.physical.type === 'auto' ? fields.get(column.name) : undefined,
    })),
    metrics.map((metric) => metric.name),
    raw,
    movesTime(dataSchema),
  );
  const schema = [
    { name: '__time', type: 'LONG' },
    ...dimensions.map(({ name, type }) => ({ name, type })),
    ...metrics.map(({ name, type }) => ({ name, type })),
  ];
  return {
    numRowsRead: data.length,
    numRowsIndexed: data.filter(({ parsed }) => parsed !== undefined).length,
    logicalDimensions: columns.map(({ logical }) => logical),
    physicalDimensions: columns.map(({ physical }) => physical),
    logicalSegmentSchema: schema,
    data,
  };
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
  lines: true,
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
  const form = (shownType: string) => ({
    type: shownType,
    name,
    ...(shownType === 'json' && { formatVersion: 5 }),
    multiValueHandling: named?.multiValueHandling ?? 'SORTED_ARRAY',
    createBitmapIndex: !plainNumbers.has(shownType),
    ...(named?.dims && { dims: named.dims }),
  });
  if (named)
    return {
      logical: form(named.type),
      physical: form(named.type === 'json' ? 'auto' : named.type),
    };
  const plainType = /^(COMPLEX|ARRAY)/.test(type) ? 'auto' : type.toLowerCase();
  return {
    logical: form(plainType),
    physical: form(dimensionsSpec.useSchemaDiscovery ? 'auto' : plainType),
  };
}

interface SampledColumn extends LoadedColumn {
  // The field whose values the engine shows unchanged
  readonly asRead: RawField | undefined;
}

async function sampleRows(
  session: Session,
  inputs: ReadonlyMap<string, RawField>,
  time: RawField | undefined,
  format: string,
  dimensions: readonly SampledColumn[],
  metrics: readonly string[],
  { line, badLine, listDelimiter }: RawRows,
  isMoved: boolean,
) {
  const fields = [...inputs.values()];
  const texts = new Set(
    dimensions.filter(({ type, asRead }) => type === 'STRING' && !asRead).map(({ name }) => name),
  );
  const stored = [
    ...dimensions.map((dimension, index) =>
      dimension.asRead
        ? inputText(dimension.asRead, listDelimiter)
        : `to_json(c.c${index}::${duckdbTypeOf(dimension)})::VARCHAR`,
    ),
    ...metrics.map((_, index) => `to_json(c.m${index})::VARCHAR`),
  ];
  const values = [
    badLine === undefined ? 'NULL' : `r.${badLine}`,
    line === undefined ? 'NULL' : `r.${line}`,
    'c.t',
    isMoved ? 'c.moved' : 'NULL',
    'c.wanted',
    time ? timeText({ ...time, sql: `r.${time.sql}` }) : 'NULL',
    ...fields.map((field) => inputText(field, listDelimiter)),
    ...stored,
  ];
  const rows = await session.rows(
    `SELECT ${values.join(', ')} FROM raw_rows r POSITIONAL JOIN converted_rows c`,
  );
  const names = [...dimensions.map(({ name }) => name), ...metrics];
  return rows.flatMap(([bad, whole, quick, moved, wanted, text, ...cells]): SampledRow[] => {
    if (typeof bad === 'string')
      return [{ unparseable: true, error: `Unable to parse row [${bad}]` }];
    // Its JSON could not be written again.
    if ([whole, ...cells].some(isTooDeep))
      return [{ unparseable: true, error: nestedTooDeeply().message }];
    const input =
      objectOfLine(whole) ??
      objectOf(
        fields.map(({ name }) => name),
        cells,
      );
    const read =
      typeof quick === 'number'
        ? quick
        : typeof text === 'string'
          ? slowTime(format, text)
          : undefined;
    const ms = isMoved && read !== undefined ? moved : read;
    if (typeof ms !== 'number')
      return [
        {
          input,
          unparseable: true,
          error: `Timestamp[${text}] is unparseable! Event: ${JSON.stringify(input)}`,
        },
      ];
    if (wanted !== true) return [];
    const nulls = Object.fromEntries(names.map((name) => [name, null])); // each row has all columns
    const parsed = Object.entries(objectOf(names, cells.slice(fields.length))).map(
      ([name, value]) => [name, texts.has(name) ? one(value) : value],
    );
    return [{ input, parsed: { __time: ms, ...nulls, ...Object.fromEntries(parsed) } }];
  });
}

const isTooDeep = (cell: unknown) => typeof cell === 'string' && depthOf(cell) > deepestJson;

// Only several values form a list in a text dimension.
const one = (value: unknown) => (Array.isArray(value) && value.length === 1 ? value[0] : value);

function inputText({ sql, kind }: RawField, listDelimiter: string | undefined): string {
  const value = `to_json(r.${sql})::VARCHAR`;
  if (kind === 'json' || listDelimiter === undefined) return value;
  const delimiter = quote(listDelimiter);
  return `CASE WHEN contains(r.${sql}, ${delimiter}) THEN to_json(string_split(r.${sql}, ${delimiter}))::VARCHAR ELSE ${value} END`;
}

// The row itself, with the fields that are null. Undefined if more follows it on its line.
function objectOfLine(line: unknown): Record<string, unknown> | undefined {
  try {
    return typeof line === 'string' ? JSON.parse(line) : undefined;
  } catch {
    return undefined;
  }
}

const objectOf = (names: readonly string[], cells: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(
    names.flatMap((name, index) =>
      typeof cells[index] === 'string' ? [[name, JSON.parse(String(cells[index]))]] : [],
    ),
  );
