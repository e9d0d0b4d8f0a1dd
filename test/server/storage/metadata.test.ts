import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import {
  type AuditRecord,
  addAuditEntry,
  deleteAuditEntriesBefore,
  listAuditEntries,
} from '../../../src/server/storage/audit.ts';
import {
  findCompactionConfig,
  listCompactionConfigs,
  setCompactionConfig,
} from '../../../src/server/storage/compaction-configs.ts';
import { findConfig, setConfig } from '../../../src/server/storage/config.ts';
import {
  deleteLookup,
  findLookupHead,
  findLookupText,
  listLookupNames,
  setLookup,
} from '../../../src/server/storage/lookups.ts';
import { openMetadata } from '../../../src/server/storage/metadata.ts';
import { migrations } from '../../../src/server/storage/migrations/index.ts';
import { deleteRules, findRules, listRules, setRules } from '../../../src/server/storage/rules.ts';
import {
  eachSegment,
  insertSegments,
  listSegments,
  markSegments,
  type NewSegment,
} from '../../../src/server/storage/segments.ts';
import {
  deleteResultsWithoutTask,
  findStatementResult,
  setStatementResult,
} from '../../../src/server/storage/statement-results.ts';
import {
  findSupervisor,
  listSupervisors,
  setSupervisor,
  supervisorHistory,
  terminateSupervisor,
} from '../../../src/server/storage/supervisors.ts';
import {
  countTasks,
  eachTask,
  findTask,
  findTaskPayload,
  findTaskReports,
  insertTask,
  listTasks,
  type TaskRecord,
  updateTask,
} from '../../../src/server/storage/tasks.ts';
import { temporaryFolder } from '../../support/storage.ts';

test('a transaction is all or nothing, and the next one starts afresh', () => {
  const metadata = openMetadata(':memory:');
  expect(() =>
    metadata.transaction((tx) => {
      setConfig(tx, 'a', 1);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(findConfig(metadata, 'a')).toBeUndefined();
  expect(
    metadata.transaction((tx) => setConfig(tx, 'a', { big: 9223372036854775807n })),
  ).toBeUndefined();
  expect(findConfig(metadata, 'a')).toEqual({ big: 9223372036854775807n });
});

test('a hundred thousand tasks are listed newest first, a page at a time, in no time', () => {
  const metadata = openMetadata(':memory:');
  metadata.transaction((tx) => {
    for (let number = 0; number < 100_000; number++) {
      insertTask(
        tx,
        task(number, {
          dataSource: `ds${number % 10}`,
          status: number % 1000 === 0 ? 'RUNNING' : 'SUCCESS',
        }),
        { number },
      );
    }
  });
  expect(listTasks(metadata, { max: 3 }).map(({ id }) => id)).toEqual([
    'task-99999',
    'task-99998',
    'task-99997',
  ]);
  expect(listTasks(metadata, { dataSource: 'ds5', max: 2 }).map(({ id }) => id)).toEqual([
    'task-99995',
    'task-99985',
  ]);
  expect(listTasks(metadata, { status: ['RUNNING'] }).length).toBe(100);
  expect(listTasks(metadata, { createdAfterMs: 99_990 }).length).toBe(10);
  expect(countTasks(metadata, { status: ['SUCCESS'], dataSource: 'ds0' })).toBe(9900);
  const [some, all] = [
    { dataSource: 'ds5', createdAfterMs: 74_000 },
    { status: ['RUNNING', 'SUCCESS'] as const },
  ];
  expect([...eachTask(metadata, some)]).toEqual(listTasks(metadata, some));
  expect([...eachTask(metadata, { ...some, max: 2001 })]).toEqual(
    listTasks(metadata, { ...some, max: 2001 }),
  );
  expect([...eachTask(metadata, all)].length).toBe(100_000);
  // The newest come from an index, without sorting.
  for (const where of [
    '',
    "WHERE datasource = 'a'",
    "WHERE type = 'a'",
    "WHERE status = 'RUNNING'",
  ]) {
    const plan = metadata.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT id FROM tasks ${where} ORDER BY created_ms DESC, id LIMIT 5`,
    );
    expect(plan.map(({ detail }) => detail).join(), where).not.toContain('TEMP B-TREE');
  }
});

test('segments are listed a page at a time as they are all at once, from any of them on', () => {
  const metadata = openMetadata(':memory:');
  const inserted = metadata.transaction((tx) =>
    insertSegments(
      tx,
      Array.from({ length: 2500 }, (_, number) => segment(number)),
      1,
    ),
  );
  markSegments(
    metadata,
    { ids: inserted.filter(({ partitionNum }) => partitionNum === 1).map(({ id }) => id) },
    false,
    2,
  );
  const whole = listSegments(metadata, { dataSource: 'wiki' });
  expect(whole.length).toBe(2500);
  expect([...eachSegment(metadata, { dataSource: 'wiki' })]).toEqual(whole);
  expect([...eachSegment(metadata, { dataSource: 'wiki', isReversed: true })]).toEqual(
    whole.toReversed(),
  );
  const unused = whole.filter(({ used }) => !used);
  expect([...eachSegment(metadata, { dataSource: 'wiki', used: false })]).toEqual(unused);
  const after = unused[100];
  if (!after) throw new Error('There are too few');
  expect([...eachSegment(metadata, { dataSource: 'wiki', used: false, after, max: 1001 })]).toEqual(
    unused.slice(101, 1102),
  );
  expect([...eachSegment(metadata, { dataSource: 'other' })]).toEqual([]);
});

test('the state of a task with a long statement changes without writing the statement anew', async () => {
  const metadata = openMetadata(join(await temporaryFolder(), 'metadata.sqlite'));
  const payload = { sqlQuery: 'x'.repeat(8_000_000) };
  metadata.transaction((tx) => insertTask(tx, task(1, { status: 'RUNNING' }), payload));
  const before = performance.now();
  for (let change = 0; change < 200; change++)
    updateTask(metadata, 'task-1', { durationMs: change });
  expect(performance.now() - before, 'ms for 200 changes').toBeLessThan(2000);
  expect(findTaskPayload(metadata, 'task-1')).toEqual(payload);
  metadata.close();
});

test('tasks from before payloads had their own table keep them after the upgrade', async () => {
  const path = join(await temporaryFolder(), 'metadata.sqlite');
  const before = new DatabaseSync(path);
  before.exec([...migrations.slice(0, 6), 'PRAGMA user_version = 6'].join(';\n'));
  before.exec(
    `INSERT INTO tasks VALUES ('old', 'old', 'noop', 'wiki', 1, 1, 0, 'SUCCESS', 'NONE', 5, NULL, NULL, '{"type":"noop"}', '{"a":1}')`,
  );
  before.close();
  const metadata = openMetadata(path);
  expect(findTask(metadata, 'old')).toMatchObject({ status: 'SUCCESS', durationMs: 5 });
  expect(findTaskPayload(metadata, 'old')).toEqual({ type: 'noop' });
  expect(findTaskReports(metadata, 'old')).toEqual({ a: 1 });
  metadata.close();
});

test('a task moves only from the state one believes it in', () => {
  const metadata = openMetadata(':memory:');
  expect(insertTask(metadata, task(1), {})).toBe(true);
  expect(insertTask(metadata, task(1), {})).toBe(false);
  expect(
    updateTask(metadata, 'task-1', {
      status: 'FAILED',
      errorMsg: 'Shutdown request from user',
      durationMs: 5,
    }),
  ).toBe(true);
  expect(updateTask(metadata, 'task-1', { status: 'SUCCESS' })).toBe(false);
  expect(findTask(metadata, 'task-1')).toMatchObject({
    status: 'FAILED',
    errorMsg: 'Shutdown request from user',
    durationMs: 5,
  });
});

test('the audit history goes forward in an interval and backward by count', () => {
  const metadata = openMetadata(':memory:');
  const entry = (timeMs: number, key = 'wiki'): AuditRecord => ({
    key,
    type: 'rules',
    auditInfo: { author: 'me', comment: '', ip: '127.0.0.1' },
    payload: '[]',
    timeMs,
  });
  for (const time of [1, 2, 3]) addAuditEntry(metadata, entry(time));
  addAuditEntry(metadata, entry(4, 'other'));
  const times = (entries: AuditRecord[]) => entries.map(({ timeMs }) => timeMs);
  expect(
    times(listAuditEntries(metadata, { type: 'rules', key: 'wiki' }, { start: 2, end: 9 })),
  ).toEqual([2, 3]);
  expect(times(listAuditEntries(metadata, { type: 'rules' }, { count: 2 }))).toEqual([4, 3]);
  expect(listAuditEntries(metadata, { key: 'other' }, { count: 5 })).toEqual([entry(4, 'other')]);
  expect(deleteAuditEntriesBefore(metadata, 3)).toBe(2);
});

test('a terminated supervisor leaves its history, newest first', () => {
  const metadata = openMetadata(':memory:');
  setSupervisor(metadata, 's', { type: 'kafka', n: 1 }, 'v1');
  setSupervisor(metadata, 's', { type: 'kafka', n: 2 }, 'v2');
  expect(findSupervisor(metadata, 's')).toEqual({ type: 'kafka', n: 2 });
  expect(terminateSupervisor(metadata, 's', { type: 'noop' }, 'v3')).toBe(true);
  expect(terminateSupervisor(metadata, 's', { type: 'noop' }, 'v4')).toBe(false);
  expect(listSupervisors(metadata).size).toBe(0);
  expect(
    supervisorHistory(metadata, 's').map(({ version, spec }) => `${version} ${spec.type}`),
  ).toEqual(['v3 noop', 'v2 kafka', 'v1 kafka']);
});

test('rules, lookups, compaction and results are kept by name', () => {
  const metadata = openMetadata(':memory:');
  setRules(metadata, 'wiki', []);
  setRules(metadata, '_default', [{ type: 'loadForever' }]);
  expect([...listRules(metadata).keys()]).toEqual(['_default', 'wiki']);
  expect([findRules(metadata, 'wiki'), findRules(metadata, 'none')]).toEqual([[], undefined]);
  expect([deleteRules(metadata, 'wiki'), deleteRules(metadata, 'wiki')]).toEqual([true, false]);

  const lookup = { tier: '__default', name: 'l' };
  setLookup(metadata, lookup, '{ "version": "v1" }');
  setLookup(metadata, lookup, '{ "version": "v2" }');
  expect(findLookupText(metadata, lookup)).toBe('{"version":"v2"}');
  expect(findLookupHead(metadata, lookup)).toEqual({ version: 'v2', hasPairs: false });
  expect([listLookupNames(metadata), listLookupNames(metadata, 'other')]).toEqual([[lookup], []]);
  expect(deleteLookup(metadata, lookup)).toBe(true);

  setCompactionConfig(metadata, 'wiki', { dataSource: 'wiki' });
  expect(listCompactionConfigs(metadata)).toEqual([findCompactionConfig(metadata, 'wiki')]);

  const result = {
    queryId: 'q',
    createdMs: 5,
    identity: 'me',
    columns: [],
    pages: [{ id: 0, numRows: 1, sizeInBytes: 9 }],
    numRows: 1,
    sizeBytes: 9,
    sample: '[[1.0]]',
  };
  setStatementResult(metadata, result);
  expect(findStatementResult(metadata, 'q')).toEqual(result);
  expect(deleteResultsWithoutTask(metadata)).toBe(1);
});

const task = (number: number, given: Partial<TaskRecord> = {}): TaskRecord => ({
  id: `task-${number}`,
  groupId: `task-${number}`,
  type: 'index_parallel',
  dataSource: 'wiki',
  createdMs: number,
  queuedMs: number,
  priority: 50,
  status: 'RUNNING',
  runnerStatus: 'RUNNING',
  durationMs: -1,
  errorMsg: undefined,
  location: undefined,
  ...given,
});

// Two of an hour.
const segment = (number: number): NewSegment => ({
  dataSource: 'wiki',
  interval: { start: (number >> 1) * 3_600_000, end: ((number >> 1) + 1) * 3_600_000 },
  version: 'v1',
  partitionNum: number % 2,
  sizeBytes: number,
  numRows: 1,
  path: `segments/${number}`,
  columns: [],
  dimensions: [],
  metrics: [],
  shardSpec: { type: 'numbered', partitionNum: number % 2, partitions: 2 },
  lastCompactionState: undefined,
  ingestion: undefined,
});
