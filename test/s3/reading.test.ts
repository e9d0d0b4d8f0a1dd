// Objects of a real S3 server that checks signatures, read by tasks, by the sampler and by
// statements.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { api } from '../support/wire.ts';
import { motoIsMissing, type S3Server, startS3 } from './moto.ts';

const missing = motoIsMissing();
if (missing !== undefined)
  console.warn(`SKIPPED: reading from a real S3 server, because ${missing}`);

const ends: (() => void)[] = [];
let s3: S3Server;

const line = (day: number, who: string) => `${JSON.stringify({ t: `2021-05-0${day}`, who })}\n`;

beforeAll(async () => {
  if (missing !== undefined) return;
  s3 = await startS3((end) => ends.push(end));
  await s3.bucket('logs', {
    'in/a.json': line(1, 'ann'),
    'in/b.json': line(2, 'bob'),
    'in/deep/c.json.gz': gzipSync(line(3, 'cy')),
    'in/empty.json': '',
    'in/folder/': '',
    'in/notes.txt': 'not meant',
  });
});
afterAll(() => {
  for (const end of ends) end();
});

const own = () => ({
  'svc.s3.accessKey': s3.user.accessKeyId,
  'svc.s3.secretKey': s3.user.secretAccessKey,
  'svc.s3.endpoint.url': s3.url,
});
const specOf = (inputSource: object, dataSource = 'logs') => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource,
      timestampSpec: { column: 't' },
      dimensionsSpec: { dimensions: ['who'] },
      granularitySpec: { segmentGranularity: 'MONTH' },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 's3', ...inputSource },
      inputFormat: { type: 'json' },
    },
  },
});

async function started(properties: Record<string, string>) {
  const { post, get, ended } = api(await startService({ properties }));
  return {
    post,
    get,
    async run(inputSource: object) {
      const { body, status } = await post('/svc/indexer/v1/task', specOf(inputSource));
      return status === 200 ? ended(body.task) : body;
    },
    // What a statement of a task finds is in its report.
    async selected(query: string) {
      const { body } = await post('/svc/v2/sql/task', { query });
      expect(body).toMatchObject({ state: 'RUNNING' });
      await ended(body.taskId);
      return (await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body.multiStageQuery.payload
        .results.results;
    },
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
  };
}

test.skipIf(missing !== undefined)(
  'addresses and objects are read, also by the sampler and by EXTERN',
  async () => {
    const { post, selected } = await started(own());
    const objects = {
      objects: [
        { bucket: 'logs', path: 'in/b.json' },
        { bucket: 'logs', path: 'in/a.json' },
      ],
    };
    const { body } = await post('/svc/indexer/v1/sampler', specOf(objects));
    expect(body.data.map(({ input }: { input: { who: string } }) => input.who)).toEqual([
      'bob',
      'ann',
    ]);
    const source = JSON.stringify({
      type: 's3',
      uris: ['s3://logs/in/b.json', 's3://logs/in/deep/c.json.gz'],
    });
    const query = `SELECT who FROM TABLE(EXTERN('${source}', '{"type":"json"}')) EXTEND (who VARCHAR) ORDER BY 1`;
    expect(await selected(query)).toEqual([['bob'], ['cy']]);
  },
);

test.skipIf(missing !== undefined)(
  'a request brings its own endpoint and credentials, which nobody sees again',
  async () => {
    const { run, get, rows } = await started({});
    const { accessKeyId, secretAccessKey } = s3.user;
    const source = {
      uris: ['s3://logs/in/a.json'],
      properties: { accessKeyId, secretAccessKey: { type: 'default', password: secretAccessKey } },
      endpointConfig: { url: s3.url, signingRegion: 'us-east-1' },
      clientConfig: { enablePathStyleAccess: true },
    };
    const { id, statusCode } = await run(source);
    expect(statusCode).toBe('SUCCESS');
    expect(await rows('SELECT who FROM logs')).toEqual([['ann']]);
    const shown = JSON.stringify([
      await get(`/svc/indexer/v1/task/${id}`),
      (await get(`/svc/indexer/v1/task/${id}/log`)).body,
    ]);
    expect(shown).toContain('<masked>');
    expect(shown).not.toContain(accessKeyId);
    expect(shown).not.toContain(secretAccessKey);
  },
);

test.skipIf(missing !== undefined)(
  'what the server refuses is said: a wrong key, a missing object, a missing bucket',
  async () => {
    const { run } = await started({ ...own(), 'svc.s3.secretKey': 'wrong' });
    const wrong = await run({ uris: ['s3://logs/in/a.json'] });
    expect(wrong.errorMsg).toContain(
      'Cannot read [s3://logs/in/a.json]: the server answered with status [403] (SignatureDoesNotMatch)',
    );
    expect(wrong.errorMsg).toContain('the secret key is wrong');
    const right = await started(own());
    expect((await right.run({ uris: ['s3://logs/in/none.json'] })).errorMsg).toContain(
      '(NoSuchKey): the object does not exist',
    );
    expect((await right.run({ prefixes: ['s3://none'] })).errorMsg).toContain(
      'Cannot list [s3://none/]: the server answered with status [404] (NoSuchBucket)',
    );
  },
);

test.skipIf(missing !== undefined)(
  'objects below a prefix are read, and empty ones are none',
  async () => {
    await s3.believe();
    const { run, rows, selected } = await started(own());
    expect(
      await run({ prefixes: ['s3://logs/in/'], objectGlob: '**.{json,json.gz}' }),
    ).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await rows('SELECT who FROM logs GROUP BY who ORDER BY who')).toEqual([
      ['ann'],
      ['bob'],
      ['cy'],
    ]);
    const named = `SELECT who FROM TABLE(S3(prefixes => ARRAY['s3://logs/in/'], objectGlob => '**/a.*', format => 'json')) EXTEND (who VARCHAR)`;
    expect(await selected(named)).toEqual([['ann']]);
    expect((await run({ prefixes: ['s3://logs/in/'], objectGlob: '*.json' })).errorMsg).toBe(
      'No object of [s3://logs/in/] is to be read',
    );
  },
);

test.skipIf(missing !== undefined)('names of objects may have any characters', async () => {
  await s3.believe();
  const odd = ['odd name +ü(1).json', 'a&b<c>"d".json', '100%.json', "*!'.json", 'tab\there.json'];
  await s3.bucket('odd', Object.fromEntries(odd.map((key) => [key, line(1, key)])));
  const { run, rows } = await started(own());
  expect(await run({ prefixes: ['s3://odd/'] })).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT who FROM logs GROUP BY who ORDER BY who')).toEqual(
    odd.toSorted().map((key) => [key]),
  );
  expect(await run({ uris: ['s3://odd/100%25.json'] })).toMatchObject({ statusCode: 'SUCCESS' });
});
