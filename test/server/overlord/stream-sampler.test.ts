// Refusals of the Kafka sampler. The Kafka stories cover its reading.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { api } from '../../support/wire.ts';

const inputSource = { type: 'inline', data: '{"time":"2024-01-01"}' };
const kafkaFormat = { type: 'kafka', valueFormat: { type: 'json' } };

test('a stream that cannot be read, and what requests may not name, is refused with the reason', async () => {
  const http = api(await startService());
  const sample = (ioConfig: object) =>
    http.post('/svc/indexer/v1/sampler', { type: 'kafka', spec: streamSpec({ ioConfig }) });
  for (const [ioConfig, words] of [
    [
      { consumerProperties: { 'bootstrap.servers': '127.0.0.1:1' } },
      'Topic [edits] at [127.0.0.1:1] cannot be read',
    ],
    [{ topic: null }, 'Either topic or topicPattern must be specified'],
    [{ inputFormat: { type: 'kafka' } }, 'valueFormat'],
    [{ configOverrides: { 'ssl.keystore.location': '/etc/key.pem' } }, '/etc/key.pem'],
    [
      {
        consumerProperties: {
          'bootstrap.servers': 'a:1',
          'sasl.jaas.config': { type: 'environment', variable: 'HOME' },
        },
      },
      'HOME',
    ],
  ] as const)
    expect(await sample(ioConfig)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(words) },
    });
});

test('the format kafka is refused where there are no records of a topic: in files, and in EXTERN', async () => {
  const http = api(await startService());
  const spec = {
    dataSchema: { dataSource: 'd', timestampSpec: { column: 'time' }, dimensionsSpec: {} },
    ioConfig: { type: 'index', inputSource, inputFormat: kafkaFormat },
  };
  const words = expect.stringContaining(
    'Input format [kafka] in [spec.ioConfig.inputFormat] reads records of a topic, not files',
  );
  expect(await http.post('/svc/indexer/v1/sampler', { type: 'index', spec })).toMatchObject({
    status: 400,
    body: { error: words },
  });
  const query = `SELECT * FROM TABLE(EXTERN('${JSON.stringify(inputSource)}', '${JSON.stringify(kafkaFormat)}', '[{"name":"time","type":"string"}]'))`;
  const { status, text } = await http.post('/svc/v2/sql/task', { query });
  expect([status, text]).toEqual([
    400,
    expect.stringContaining('reads records of a topic, not files'),
  ]);
});
