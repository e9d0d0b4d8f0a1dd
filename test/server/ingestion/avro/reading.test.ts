// Files of Avro become rows: written by a real writer, read by tasks, by the sampler and by EXTERN.
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { startService } from '../../../support/service.ts';
import { api } from '../../../support/wire.ts';
import { avroFile } from './containers.ts';

const visit = {
  type: 'record',
  name: 'Visit',
  namespace: 'org.example',
  fields: [
    { name: 't', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'who', type: ['null', 'string'] },
    { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['NEW', 'OLD'] } },
    { name: 'small', type: 'float' },
    { name: 'id', type: { type: 'fixed', name: 'Id', size: 3 } },
    { name: 'note', type: 'bytes' },
    { name: 'tags', type: { type: 'array', items: ['null', 'string'] } },
    { name: 'counts', type: { type: 'map', values: 'long' } },
    {
      name: 'place',
      type: { type: 'record', name: 'Place', fields: [{ name: 'city', type: 'string' }] },
    },
    { name: 'any', type: ['null', 'int', 'string', 'Place', { type: 'array', items: 'int' }] },
  ],
};
const day = Date.UTC(2021, 4, 1);
const rows = [
  {
    t: day,
    who: { string: 'ann "ü"\n' },
    kind: 'NEW',
    small: Math.fround(0.1),
    id: Buffer.from('abc'),
    note: Buffer.from('note'),
    tags: [{ string: 'x' }, null, { string: 'y' }],
    counts: { a: 1, b: 2 ** 52 },
    place: { city: 'Rome' },
    any: { int: 7 },
  },
  {
    t: day + 1,
    who: null,
    kind: 'OLD',
    small: 2.5,
    id: Buffer.from('def'),
    note: Buffer.from('more'),
    tags: [],
    counts: {},
    place: { city: 'Oslo' },
    any: { 'org.example.Place': { city: 'Bern' } },
  },
];

async function started(folder: string) {
  const { post, get, ended } = api(await startService({ allowedFolders: [folder] }));
  return {
    post,
    async run(spec: object) {
      const { body, status } = await post('/svc/indexer/v1/task', spec);
      return status === 200 ? ended(body.task) : body;
    },
    async selected(query: string) {
      const { body } = await post('/svc/v2/sql/task', { query });
      expect(body).toMatchObject({ state: 'RUNNING' });
      await ended(body.taskId);
      const { results, status } = (await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body
        .multiStageQuery.payload;
      return results?.results ?? status.errorReport;
    },
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
  };
}

const specOf = (
  path: string,
  format: object,
  dimensionsSpec: object = { useSchemaDiscovery: true },
) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'visits',
      timestampSpec: { column: 't' },
      dimensionsSpec,
      granularitySpec: { segmentGranularity: 'DAY' },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'local', files: [path] },
      inputFormat: { type: 'avro_ocf', ...format },
    },
  },
});

test('all types become columns, with their own values', async () => {
  const path = await avroFile(visit, rows, { codec: 'deflate' });
  const { run, rows: sql } = await started(dirname(path));
  expect(await run(specOf(path, {}))).toMatchObject({ statusCode: 'SUCCESS' });
  const query = `SELECT who, kind, small, id, note, tags, JSON_VALUE(counts, '$.b' RETURNING BIGINT), JSON_VALUE(place, '$.city') FROM visits ORDER BY __time`;
  expect(await sql(query)).toEqual([
    ['ann "ü"\n', 'NEW', 0.1, 'YWJj', 'bm90ZQ==', '["x","y"]', 2 ** 52, 'Rome'],
    [null, 'OLD', 2.5, 'ZGVm', 'bW9yZQ==', '[]', null, 'Oslo'],
  ]);
});

test('bytes are texts where the format says so, and unions tell their types', async () => {
  const path = await avroFile(visit, rows);
  const { run, rows: sql, post } = await started(dirname(path));
  const fields = [
    { type: 'path', name: 'number', expr: '$.any.int' },
    { type: 'path', name: 'town', expr: '$.any.Place.city' },
  ];
  const spec = specOf(
    path,
    { binaryAsString: true, extractUnionsByType: true, flattenSpec: { fields } },
    { dimensions: ['note', 'number', 'town', 'who'] },
  );
  expect(await run(spec)).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await sql('SELECT note, number, town, who FROM visits ORDER BY __time')).toEqual([
    ['note', '7', null, 'ann "ü"\n'],
    ['more', null, 'Bern', null],
  ]);
  const { body } = await post('/svc/indexer/v1/sampler', {
    ...spec,
    samplerConfig: { numRows: 1 },
  });
  expect(body.data).toMatchObject([{ input: { note: 'note' }, parsed: { __time: day } }]);
});

test('whole numbers keep all of their 64 bits, and a schema of the reader says what is read', async () => {
  const written = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'big', type: 'long' },
      { name: 'age', type: 'int' },
      { name: 'gone', type: 'string' },
    ],
  };
  const { container, fileWith, long, bytes } = await import('./containers.ts');
  const data = Buffer.concat([
    long(9223372036854775807n),
    long(5),
    bytes('x'),
    long(-9223372036854775808n),
    long(-6),
    bytes(''),
  ]);
  const path = await fileWith(container(written, 'null', [{ count: 2, data }]));
  const { selected } = await started(dirname(path));
  const source = JSON.stringify({ type: 'local', files: [path] });
  expect(
    await selected(
      `SELECT CAST(big AS VARCHAR), age, gone FROM TABLE(EXTERN('${source}', '{"type":"avro_ocf"}')) EXTEND (big BIGINT, age BIGINT, gone VARCHAR)`,
    ),
  ).toEqual([
    ['9223372036854775807', 5, 'x'],
    ['-9223372036854775808', -6, ''],
  ]);
  const schema = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'big', type: 'long' },
      { name: 'renamed', aliases: ['age'], type: 'long' },
      { name: 'added', type: 'string', default: 'usual' },
    ],
  };
  const format = JSON.stringify({ type: 'avro_ocf', schema });
  expect(
    await selected(
      `SELECT CAST(big AS VARCHAR), renamed, added, gone FROM TABLE(EXTERN('${source}', '${format}')) EXTEND (big BIGINT, renamed BIGINT, added VARCHAR, gone VARCHAR)`,
    ),
  ).toEqual([
    ['9223372036854775807', 5, 'usual', null],
    ['-9223372036854775808', -6, 'usual', null],
  ]);
});

test('what cannot be read is refused by name', async () => {
  const path = await avroFile(visit, rows);
  const { run, selected } = await started(dirname(path));
  const source = JSON.stringify({ type: 'local', files: [path] });
  const refused = await run({
    ...specOf(path, {}),
    spec: {
      ...specOf(path, {}).spec,
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'local', files: [path] },
        inputFormat: { type: 'orc' },
      },
    },
  });
  expect(refused.error).toBe(
    'Input format [orc] in [spec.ioConfig.inputFormat] is not available. See svcctl help limits',
  );
  const wrong = await run(specOf(path, { schema: { type: 'string' } }));
  expect(wrong.error).toContain('the schema of rows must be of type [record]');
  const format = JSON.stringify({
    type: 'avro_ocf',
    schema: { type: 'record', name: 'org.example.Visit', fields: [{ name: 'other', type: 'int' }] },
  });
  expect(
    JSON.stringify(
      await selected(`SELECT * FROM TABLE(EXTERN('${source}', '${format}')) EXTEND (other BIGINT)`),
    ),
  ).toContain(`Cannot read [${path}]: `);
});
