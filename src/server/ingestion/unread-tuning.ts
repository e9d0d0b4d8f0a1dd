// Fields of a tuningConfig that the real engine reads and that change nothing here: buffers,
// retries, compression. Their values are checked all the same, so that a specification that is
// accepted here is accepted there (Druid: ParallelIndexTuningConfig, IndexSpec, SplitHintSpec).

import type { SpecFields } from '../checks/spec-fields.ts';
import { optionalDuration } from '../checks/spec-times.ts';

/** Throws a Refusal that names the first field with a wrong value. */
export function checkUnreadTuning(tuning: SpecFields): void {
  for (const name of integers) tuning.optionalInteger(name);
  for (const name of longs) tuning.optionalLong(name);
  for (const name of truths) tuning.truth(name);
  optionalDuration(tuning, 'chatHandlerTimeout');
  for (const name of ['indexSpec', 'indexSpecForIntermediatePersists'])
    checkStorage(tuning.optionalObject(name));
  checkSplits(tuning.optionalObject('splitHintSpec'));
  tuning.optionalObject('segmentWriteOutMediumFactory')?.optionalText('type');
  const appendable = tuning.optionalObject('appendableIndexSpec');
  appendable?.optionalText('type');
  appendable?.truth('preserveExistingMetrics');
}

const integers = [
  'maxRowsInMemory',
  'maxPendingPersists',
  'maxNumConcurrentSubTasks',
  'maxNumSegmentsToMerge',
  'totalNumMergeTasks',
  'maxRetry',
  'chatHandlerNumRetries',
  'maxColumnsToMerge',
  'numPersistThreads',
  'numShards',
  'maxAllowedLockCount',
  'targetPartitionSize',
  'maxParseExceptions',
  'maxSavedParseExceptions',
];

const longs = ['maxBytesInMemory', 'maxTotalRows', 'pushTimeout', 'taskStatusCheckPeriodMs'];

const truths = ['skipBytesInMemoryOverheadCheck', 'logParseExceptions', 'reportParseExceptions'];

function checkStorage(spec: SpecFields | undefined): void {
  if (!spec) return;
  spec.optionalObject('bitmap')?.optionalText('type');
  for (const name of compressedParts) oneOf(spec, name, compressions);
  oneOf(spec, 'longEncoding', ['auto', 'longs']);
  const dictionary = spec.optionalObject('stringDictionaryEncoding');
  const encoding = dictionary?.type('StringEncodingStrategy', ['utf8', 'frontCoded']);
  if (!dictionary || encoding === 'utf8') return;
  const bucketSize = dictionary.integer('bucketSize', 4);
  if (![1, 2, 4, 8, 16, 32, 64, 128].includes(bucketSize))
    dictionary.refuse(`bucketSize[${bucketSize}] must be a power of 2 from 1 to 128`);
  const version = dictionary.integer('formatVersion', 1);
  if (version !== 0 && version !== 1)
    dictionary.refuse(`Unknown format version [${version}]: it is 0 or 1`);
}

const compressedParts = [
  'dimensionCompression',
  'metricCompression',
  'jsonCompression',
  'complexMetricCompression',
];
const compressions = ['lz4', 'lzf', 'zstd', 'uncompressed', 'none'];

function oneOf(fields: SpecFields, name: string, known: readonly string[]): void {
  const value = fields.optionalText(name);
  if (value !== undefined && !known.includes(value.toLowerCase()))
    fields.refuse(`${name} [${value}] is not known; known are [${known.join(', ')}]`);
}

function checkSplits(spec: SpecFields | undefined): void {
  if (!spec) return;
  if (spec.type('SplitHintSpec', ['maxSize', 'segments']) === 'maxSize') {
    checkSize(spec, 'maxSplitSize', 1);
    const files = spec.integer('maxNumFiles', 1000);
    if (files <= 0) spec.refuse('maxNumFiles should be larger than 0');
  } else {
    checkSize(spec, 'maxInputSegmentBytesPerTask', 0);
    spec.optionalInteger('maxNumSegments');
  }
}

// Druid: HumanReadableBytes. A unit is written K, Ki or KiB.
function checkSize(fields: SpecFields, name: string, least: number): void {
  const text = fields.optionalText(name);
  if (text === undefined) return;
  const [, digits] = /^\s*\+?(\d+)(?:[kmgtp](?:ib?)?)?\s*$/i.exec(text) ?? [];
  if (digits === undefined || Number(digits) >= 2 ** 63)
    fields.refuse(`${name} [${text}] is not a number of bytes, such as 1000, 64M or 1GiB`);
  else if (Number(digits) < least) fields.refuse(`${name} should be larger than 0`);
}
