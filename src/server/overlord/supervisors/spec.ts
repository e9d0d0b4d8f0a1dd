// Specification of a supervisor (Druid: ingestion/supervisor), parsed and completed. Unknown fields
// are ignored, as in the real engine.

import { checkNameLength } from '../../checks/name-length.ts';
import { isObject, SpecFields, type SpecValues } from '../../checks/spec-fields.ts';
import { type AutocompactSpec, autocompactSpec } from '../../configuration/autocompact-spec.ts';
import { parseDataSchema } from '../../ingestion/data-schema.ts';
import { completeDataSchema } from '../../ingestion/index-spec.ts';
import type { Transaction } from '../../storage/metadata.ts';
import { type StoredSupervisorSpec, supervisorHistory } from '../../storage/supervisors.ts';
import { faultInId } from '../../tasks/task-ids.ts';
import { completeIoConfig, parseIoConfig, type StreamIoConfig } from '../stream/io-config.ts';
import { type ScheduledBatchSpec, scheduledBatchSpec } from './scheduled-batch-spec.ts';
import { completeTuningConfig } from './tuning-config.ts';

export type ParsedSpec = StreamSupervisorSpec | AutocompactSpec | ScheduledBatchSpec | NoopSpec;

export interface StreamSupervisorSpec {
  readonly type: 'kafka';
  readonly id: string;
  readonly dataSource: string;
  readonly suspended: boolean;
  readonly context: SpecValues;
  readonly io: StreamIoConfig;
  readonly resetOffsetAutomatically: boolean;
  readonly stored: StoredSupervisorSpec; // in the form that is stored and shown
}

/** A supervisor without work: the tombstone of a terminated one in the history. */
export interface NoopSpec {
  readonly type: 'noop';
  readonly id: string;
  readonly dataSource: string;
  readonly suspended: boolean;
  readonly stored: StoredSupervisorSpec;
}

/**
 * A stored specification that this version of the service cannot read. It is shown, replaced and
 * terminated, but never run.
 */
export interface UnreadableSpec {
  readonly type: 'unreadable';
  readonly id: string;
  readonly dataSource: string;
  readonly suspended: boolean;
  readonly stored: StoredSupervisorSpec;
  readonly fault: string;
}

/** Reads a stored specification of any form: an earlier version may have written it. */
export function readStoredSpec(
  id: string,
  stored: StoredSupervisorSpec,
): ParsedSpec | UnreadableSpec {
  try {
    return parseStoredSpec(stored);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    const [dataSource = id] = dataSourcesIn(stored, id);
    return {
      type: 'unreadable',
      id,
      dataSource,
      suspended: stored.suspended === true,
      stored,
      fault,
    };
  }
}

/**
 * Reads a submitted specification; throws a Refusal that names the invalid field. An autoscaling
 * supervisor begins with the number of tasks from its autoScalerConfig, unless scaling has set
 * another one: `scaledTo`.
 */
export function parseSupervisorSpec(given: SpecValues, scaledTo?: number): ParsedSpec {
  const fields = new SpecFields(given, '');
  const type = fields.type('SupervisorSpec', [
    'kafka',
    'autocompact',
    'scheduled_batch',
    'noop',
    'NoopSupervisorSpec',
  ]);
  if (type === 'scheduled_batch') return scheduledBatchSpec(fields);
  if (type === 'autocompact') return autocompactSpec(fields);
  return type === 'kafka' ? streamSpec(fields, scaledTo) : noopSpec(fields);
}

/** Reads a stored specification: its taskCount is the number set by scaling. */
export const parseStoredSpec = (stored: SpecValues): ParsedSpec =>
  parseSupervisorSpec(stored, taskCountIn(stored));

/** The taskCount of a specification. */
export function taskCountIn(given: SpecValues): number | undefined {
  const { ioConfig } = isObject(given.spec) ? given.spec : given;
  return isObject(ioConfig) && typeof ioConfig.taskCount === 'number'
    ? ioConfig.taskCount
    : undefined;
}

function streamSpec(fields: SpecFields, scaledTo: number | undefined): StreamSupervisorSpec {
  const spec = fields.optionalObject('spec') ?? fields; // old specifications have their parts at the top level
  const dataSchema = parseDataSchema(spec.object('dataSchema'));
  const { dataSource } = dataSchema;
  const fault = faultInId('dataSource', dataSource);
  if (fault) throw spec.object('dataSchema').refuse(fault);
  const io = parseIoConfig(spec.object('ioConfig'), scaledTo);
  const tuning = completeTuningConfig(spec.optionalObject('tuningConfig'));
  const id = fields.optionalText('id') ?? dataSource;
  const idFault = faultInId('id', id);
  if (idFault) fields.refuse(idFault);
  const suspended = fields.truth('suspended');
  const context = fields.optionalObject('context')?.values;
  return {
    type: 'kafka',
    id,
    dataSource,
    suspended,
    context: context ?? {},
    io,
    resetOffsetAutomatically: tuning.resetOffsetAutomatically,
    stored: {
      type: 'kafka',
      id,
      spec: {
        dataSchema: completeDataSchema(spec.object('dataSchema').values, dataSchema),
        ioConfig: completeIoConfig(spec.object('ioConfig').values, io),
        tuningConfig: tuning.stored,
      },
      context: context ?? null,
      suspended,
    },
  };
}

function noopSpec(fields: SpecFields): NoopSpec {
  const dataSources = fields.texts('dataSources');
  const id = fields.optionalText('id') ?? dataSources[0];
  if (id === undefined) return fields.refuse('id and dataSources are both missing');
  for (const name of [id, ...dataSources])
    checkNameLength(name, name === id ? 'id' : 'dataSources');
  const suspended = fields.truth('suspended');
  return {
    type: 'noop',
    id,
    dataSource: dataSources[0] ?? id,
    suspended,
    stored: { type: 'noop', id, dataSources: [...dataSources], suspended, source: 'noop' },
  };
}

/**
 * The datasources that a supervisor of this id has written to, terminated or not; empty for an
 * unknown id.
 */
export const dataSourcesOfSupervisor = (tx: Transaction, id: string): readonly string[] => [
  ...new Set(supervisorHistory(tx, id).flatMap(({ spec }) => dataSourcesIn(spec, id))),
];

/** The datasources in a specification, valid or not; by default, the one named like the id. */
export function dataSourcesIn(given: SpecValues, id: string): readonly string[] {
  if (Array.isArray(given.dataSources) && given.dataSources.length > 0)
    return given.dataSources.map(String);
  if (given.type === 'scheduled_batch' && typeof given.dataSource === 'string')
    return [given.dataSource];
  const { dataSchema, dataSource } = isObject(given.spec) ? given.spec : given;
  if (given.type === 'autocompact' && typeof dataSource === 'string') return [dataSource];
  const named = isObject(dataSchema) ? dataSchema.dataSource : undefined;
  return [named === undefined || named === null || typeof named === 'object' ? id : String(named)];
}

/** The last entry in a terminated supervisor's history. */
export const tombstoneFor = (dataSource: string): StoredSupervisorSpec => ({
  type: 'noop',
  id: null,
  dataSources: [dataSource],
  suspended: false,
  source: 'noop',
});
