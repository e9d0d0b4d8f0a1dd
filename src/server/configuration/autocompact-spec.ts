// Specification of a supervisor that compacts a datasource (Druid: CompactionSupervisorSpec): a
// compaction configuration that the compaction duty applies.
import type { CompactionConfig } from '../../contract/compaction.ts';
import { checkNameLength } from '../checks/name-length.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import type { Transaction } from '../storage/metadata.ts';
import { listSupervisors, type StoredSupervisorSpec } from '../storage/supervisors.ts';
import { faultInId } from '../tasks/task-ids.ts';
import { completeCompactionConfig } from './compaction-config.ts';

export interface AutocompactSpec {
  readonly type: 'autocompact';
  readonly id: string;
  readonly dataSource: string;
  readonly suspended: boolean;
  readonly stored: StoredSupervisorSpec;
}

/** Reads a specification; throws a Refusal that names the invalid field. */
export function autocompactSpec(fields: SpecFields): AutocompactSpec {
  const given = fields.object('spec');
  const dataSource = given.text('dataSource');
  const fault = faultInId('dataSource', dataSource);
  if (fault) given.refuse(fault);
  checkNameLength(dataSource, 'dataSource');
  const id = `${idPrefix}${dataSource}`;
  const named = fields.optionalText('id');
  if (named !== undefined && named !== id)
    fields.refuse(`id must be [${id}], which follows from the datasource, or absent`);
  const suspended = fields.truth('suspended');
  const spec = completeCompactionConfig(configIn(given));
  return {
    type: 'autocompact',
    id,
    dataSource,
    suspended,
    stored: { type: 'autocompact', spec, suspended },
  };
}

/** The compaction configurations of the supervisors that are not suspended. */
export function supervisedCompactions(tx: Transaction): CompactionConfig[] {
  const specs = [...listSupervisors(tx).values()].filter(
    ({ type, suspended }) => type === 'autocompact' && suspended !== true,
  );
  return specs.flatMap(({ spec }) => (isConfig(spec) ? [spec] : []));
}

const idPrefix = 'autocompact__';

const isConfig = (spec: unknown): spec is CompactionConfig =>
  typeof spec === 'object' &&
  spec !== null &&
  'dataSource' in spec &&
  typeof spec.dataSource === 'string';

function configIn(given: SpecFields): CompactionConfig {
  const texts = {
    ...take(given, 'type'),
    ...take(given, 'skipOffsetFromLatest'),
    ...take(given, 'engine'),
  };
  const objects = [
    'tuningConfig',
    'granularitySpec',
    'dimensionsSpec',
    'transformSpec',
    'baseTable',
    'ioConfig',
    'taskContext',
  ];
  const lists = ['metricsSpec', 'projections'];
  return {
    dataSource: given.text('dataSource'),
    ...texts,
    taskPriority: given.integer('taskPriority', 25),
    inputSegmentSizeBytes: given.optionalLong('inputSegmentSizeBytes') ?? null,
    maxRowsPerSegment: given.optionalInteger('maxRowsPerSegment') ?? null,
    skipIntervals: [...given.texts('skipIntervals')],
    ...Object.fromEntries(
      objects.flatMap((name) => [[name, given.optionalObject(name)?.values ?? null]]),
    ),
    ...Object.fromEntries(
      lists.map((name) => [
        name,
        given.has(name) ? given.objects(name).map(({ values }) => values) : null,
      ]),
    ),
  };
}

const take = (given: SpecFields, name: string) =>
  given.has(name) ? { [name]: given.text(name) } : {};
