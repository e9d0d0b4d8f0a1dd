// A stream from its first row to its last, against the real engine with a real broker. Against the
// service built here test/kafka and test/commands/supervisors.test.ts tell the same.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KafkaClient, kafkaClient } from '../support/kafka.ts';
import { cluster, named, patience, soon, tellStory } from '../support/story.ts';
import { streamSpec } from '../support/supervisors.ts';

const { told, said, json, changed, file } = tellStory();
const address = cluster?.kafka;
if (address === undefined)
  console.log(
    'SKIPPED: streams against the real engine need its broker, which npm run test:cluster starts',
  );
const story = test.skipIf(address === undefined);
const edits = named('edits');
const row = (added: number) => ({
  value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added }),
});
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => row(from + at));
const totals = async () =>
  (await told(`sql 'SELECT COUNT(*), SUM(added) FROM ${edits}' -o csv --no-header`)).stdout.trim();

let kafka: KafkaClient | undefined;
beforeAll(async () => {
  if (address === undefined) return;
  kafka = kafkaClient(address);
  await kafka.createTopic(edits);
  await kafka.produce(edits, numbers(0, 100));
});
afterAll(() => kafka?.close());

story('a supervisor is applied, and its rows answer queries', patience, async () => {
  // On a busy machine a task takes its time to answer its supervisor.
  const tuningConfig = { httpTimeout: 'PT1M', chatRetries: 30 };
  await file(
    'stream.json',
    streamSpec({ dataSource: edits, servers: address ?? '', tuningConfig }),
  );
  expect(await changed('supervisors apply stream.json')).toBe(`Supervisor [${edits}] is set.`);
  expect(await told(`supervisors wait ${edits} --max-wait 120`)).toMatchObject({ code: 0 });
  await expect.poll(totals, soon).toBe('100,4950');
  await kafka?.produce(edits, numbers(100, 150));
  await expect.poll(totals, soon).toBe('150,11175');
});

story('it is looked at', patience, async () => {
  expect(await said('supervisors list --columns id,state,healthy --no-header')).toBe(
    `${edits}\tRUNNING\ttrue\n`,
  );
  expect(await json(`supervisors get ${edits}`)).toMatchObject({
    type: 'kafka',
    spec: { ioConfig: { topic: edits } },
  });
  await expect
    .poll(() => json(`supervisors status ${edits}`), soon)
    .toMatchObject({ id: edits, stream: edits, aggregateLag: 0 });
  expect(await told(`supervisors health ${edits}`)).toMatchObject({ code: 0 });
  // Between two reports of its status a real supervisor names no task for a moment.
  await expect
    .poll(() => said(`supervisors tasks ${edits} --columns type --no-header`), soon)
    .toBe('ACTIVE\n');
  await expect
    .poll(() => said(`supervisors stats ${edits} --columns processed --no-header`), soon)
    .toBe('150\n');
  expect((await told(`supervisors parse-errors ${edits}`)).code).toBeOneOf([0, 1]); // 33.0.0 fails where there were none
  expect(await said(`supervisors history ${edits} -o name`)).toBe(`${edits}\n`);
  expect(await told(`supervisors edit ${edits}`, { EDITOR: 'true' })).toMatchObject({
    code: 0,
    stderr: 'Nothing was changed.\n',
  });
  expect(await told('supervisors edit no-such', { EDITOR: 'true' })).toMatchObject({ code: 3 });
  expect(await said('supervisors history -o name')).toContain(`${edits}\n`);
  expect(await json(`why supervisor ${edits}`)).toContainEqual(
    expect.objectContaining({ check: 'state', state: 'ok' }),
  );
});

story('its tasks publish before their time, and go on', patience, async () => {
  expect(await changed(`supervisors hand-off ${edits} 0`)).toBe(
    `Supervisor [${edits}] makes its tasks publish.`,
  );
  // A task that is killed meanwhile publishes nothing, and the next one does not know that it was
  // asked to.
  const published = async () => {
    const ids = await said(`segments list --datasource ${edits} -o name`);
    if (ids === '') await told(`supervisors hand-off ${edits} 0`);
    return ids;
  };
  await expect.poll(published, { ...soon, interval: 10_000 }).toContain(edits);
  await expect.poll(totals, soon).toBe('150,11175');
  expect(await told(`supervisors hand-off no-such 0`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('[no-such]'),
  });
});

story(
  'it is suspended, its task ends, and it resumes where that has stopped',
  patience,
  async () => {
    await said(`supervisors suspend ${edits} --yes`);
    await expect
      .poll(() => said('supervisors list --columns state --no-header'), soon)
      .toBe('SUSPENDED\n');
    await said(`tasks watch --until-idle --datasource ${edits}`);
    // A task that answers its supervisor too late is killed, and has published nothing: what it had
    // read is read again.
    const states = await said(`tasks list --datasource ${edits} --columns status --no-header`);
    if (states.includes('SUCCESS'))
      await expect
        .poll(() => said(`segments list --datasource ${edits} -o name`), soon)
        .toContain(edits);
    await kafka?.produce(edits, numbers(150, 200));
    expect(await changed('supervisors resume --all --yes')).toBe('1 supervisor resumed.');
    await expect.poll(totals, soon).toBe('200,19900');
  },
);

story('offsets are set, and forgotten only when the supervisor is named', patience, async () => {
  expect(await changed('supervisors suspend --all --yes')).toBe('1 supervisor suspended.'); // or else a task begins each time, which has to begin before it can end
  expect(await told(`supervisors reset ${edits} --yes`)).toMatchObject({ code: 9 });
  expect(await told(`supervisors reset-offsets ${edits} 0=200 --yes`)).toMatchObject({ code: 0 });
  expect(await told(`supervisors reset ${edits} --confirm=${edits}`)).toMatchObject({ code: 0 });
});

story('what only newer services can do is said to be so', patience, async () => {
  expect(await told(`supervisors reset-to-latest ${edits} --yes`)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: This service cannot .* since version 38\nhint: svcctl supervisors reset-offsets /,
    ),
  });
  expect(await told('supervisors reset-to-latest no-such --yes')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('[no-such]'),
  });
});

story('it is terminated, its history stays', patience, async () => {
  expect(await told(`supervisors terminate ${edits}`)).toMatchObject({ code: 9 });
  expect(await told(`supervisors terminate ${edits} --yes`)).toMatchObject({ code: 0 });
  expect(await said('supervisors list -o json')).toBe('[]\n');
  expect((await said(`supervisors history ${edits} -o name`)).split('\n').length).toBeGreaterThan(
    2,
  );
  expect(await told('supervisors status no-such')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/hint: svcctl supervisors list/),
  });
});
