import { compaction } from '../../../contract/compaction.ts';
import { check } from '../../../contract/schema.ts';
import { isObject, withoutNulls } from '../../../model/difference.ts';
import type { Area } from './area.ts';
import { fillIn } from './filled-in.ts';
import { withPeriods } from './periods.ts';

/** Compaction configurations by datasource. */
export const compactionArea: Area = {
  name: 'compaction',
  endpoints: [compaction.list],
  writes: [compaction.set, compaction.remove],
  read: async ({ call }) => {
    const { compactionConfigs } = await call(compaction.list);
    return new Map(compactionConfigs.map(({ dataSource, ...config }) => [dataSource, config]));
  },
  schema: () => compaction.set.body,
  normal: (document) => {
    const { dataSource: _, ...config } = withoutNulls(document) as Readonly<
      Record<string, unknown>
    >;
    return withPeriods(fillIn(config, defaults));
  },
  check: (document, dataSource) => void check(compaction.set.body, bodyOf(document, dataSource)),
  set: async ({ call }, dataSource, { document }, headers) => {
    await call(compaction.set, {
      headers,
      body: check(compaction.set.body, bodyOf(document, dataSource)),
    });
  },
  remove: async ({ call }, dataSource, _, headers) => {
    await call(compaction.remove, { params: { dataSource }, headers });
  },
};

const bodyOf = (document: unknown, dataSource: string) =>
  isObject(document) ? { ...document, dataSource } : document;

// Druid, "Automatic compaction configuration".
const defaults = {
  type: 'inline',
  taskPriority: 25,
  inputSegmentSizeBytes: 100_000_000_000_000,
  skipOffsetFromLatest: 'P1D',
  skipIntervals: [],
};
