// Tuning configuration of supervisor tasks and its defaults (Druid: KafkaSupervisorTuningConfig).

import type { SpecFields, SpecValues } from '../../checks/spec-fields.ts';
import { formatDuration, optionalDuration, printedPeriod } from '../../checks/spec-times.ts';

export interface TuningConfig {
  readonly resetOffsetAutomatically: boolean;
  readonly stored: SpecValues; // in the form that is stored and shown
}

/** Reads and completes a tuningConfig; throws a Refusal for a value of the wrong type. */
export function completeTuningConfig(fields: SpecFields | undefined): TuningConfig {
  fields?.type('SeekableStreamSupervisorTuningConfig', ['kafka']);
  const stored: Record<string, unknown> = { type: 'kafka' };
  for (const [name, defaultValue] of Object.entries(integers))
    stored[name] = fields?.optionalInteger(name) ?? defaultValue;
  for (const [name, defaultValue] of Object.entries(longs))
    stored[name] = fields?.optionalLong(name) ?? defaultValue;
  for (const name of flags) stored[name] = fields?.truth(name) ?? false;
  for (const [name, defaultValue] of Object.entries(durations)) {
    const ms = fields && optionalDuration(fields, name);
    stored[name] = ms === undefined ? defaultValue : formatDuration(ms);
  }
  for (const [name, defaultValue] of Object.entries(periods))
    stored[name] = (fields && printedPeriod(fields, name)) ?? defaultValue;
  for (const [name, defaultValue] of Object.entries(objects))
    stored[name] = fields?.optionalObject(name)?.values ?? defaultValue;
  if (stored.reportParseExceptions) {
    stored.maxParseExceptions = 0;
    stored.maxSavedParseExceptions = 1;
  }
  if (Number(stored.maxRowsPerSegment) <= 0)
    fields?.refuse(`maxRowsPerSegment[${stored.maxRowsPerSegment}] should be positive`);
  if (Number(stored.workerThreads) < 0)
    fields?.refuse(`workerThreads[${stored.workerThreads}] should be positive`);
  return { resetOffsetAutomatically: stored.resetOffsetAutomatically === true, stored };
}

const integers: Readonly<Record<string, number | null>> = {
  maxRowsInMemory: 150_000,
  maxRowsPerSegment: 5_000_000,
  maxPendingPersists: 0,
  workerThreads: null,
  maxParseExceptions: 2_147_483_647,
  maxSavedParseExceptions: 0,
  numPersistThreads: 1,
  maxColumnsToMerge: -1,
};

const longs: Readonly<Record<string, number | null>> = {
  maxBytesInMemory: 0,
  maxTotalRows: null,
  handoffConditionTimeout: 900_000,
  chatRetries: 8,
};

const flags = [
  'skipBytesInMemoryOverheadCheck',
  'reportParseExceptions',
  'resetOffsetAutomatically',
  'logParseExceptions',
  'skipSequenceNumberAvailabilityCheck',
  'releaseLocksOnHandoff',
];

const durations: Readonly<Record<string, string>> = {
  httpTimeout: 'PT10S',
  shutdownTimeout: 'PT80S',
  offsetFetchPeriod: 'PT30S',
  repartitionTransitionDuration: 'PT120S',
};

const periods: Readonly<Record<string, string>> = {
  intermediatePersistPeriod: 'PT10M',
  intermediateHandoffPeriod: 'P2147483647D',
};

const objects: Readonly<Record<string, SpecValues | null>> = {
  appendableIndexSpec: { type: 'onheap', preserveExistingMetrics: false },
  indexSpec: {},
  indexSpecForIntermediatePersists: {},
  segmentWriteOutMediumFactory: null,
};
