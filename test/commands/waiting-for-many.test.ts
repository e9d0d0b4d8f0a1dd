// Waiting for several things at once, by the built program at a real service.
import { expect, test } from 'vitest';
import { tellStory } from '../support/story.ts';

const { told, said, file } = tellStory();
const timeout = 120_000;

const running = async (seconds: number) => {
  await file('task.json', { type: 'noop', runTime: seconds * 1000 });
  return (await said('tasks submit task.json --quiet')).trim();
};

test('--max-wait is for all tasks together, and a program learns how each has ended', {
  timeout,
}, async () => {
  const [short, long, longer] = [await running(0), await running(600), await running(600)];
  await said(`tasks wait ${short}`);
  const start = performance.now();
  const { stdout, stderr, code } = await told(
    `tasks wait ${short} ${long} ${longer} --max-wait 3s -o json`,
  );
  // Not three seconds for each and a look for the last, on a machine that is busy
  expect(performance.now() - start).toBeLessThan(15_000);
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toEqual([
    { item: short, result: 'done' },
    { item: long, result: 'pending', error: `Task [${long}] has not ended after 3s` },
    { item: longer, result: 'pending', error: `Task [${longer}] has not ended after 3s` },
  ]);
  expect(stderr).toContain('error: 2 of 3 have not ended\n');
  // One that fails does not end the wait for the others.
  await said(`tasks cancel ${long} ${longer}`);
  const ended = await told(`tasks wait ${long} ${longer} ${short} -o name`);
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('error: 2 of 3 failed\n'),
  });
  expect(ended.stderr).toContain(`Task [${short}] succeeded`);
  expect(await told(`tasks wait ${long} -o json`)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"result":"failed"'),
  });
  expect((await told(`tasks wait ${short} ${short}`)).stdout).toBe(''); // for people the words on stderr are enough
});

test('what is named and is not there has the exit code of that, one or many; what was left out is asked for', {
  timeout,
}, async () => {
  for (const line of [
    'tasks wait nobody',
    'tasks cancel nobody no-one',
    'statements cancel nobody no-one',
    'statements wait nobody',
  ])
    expect({ line, ...(await told(line)) }).toMatchObject({
      line,
      code: 3,
      stderr: expect.stringContaining('hint: svcctl '),
    });
  await file('task.json', { type: 'noop', runTime: 1 });
  for (const line of [
    'tasks submit task.json --max-wait 5',
    "statements submit 'SELECT 1' --max-wait 5",
    "ingest sql 'SELECT 1' --max-wait 5",
  ])
    expect(await told(line)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --max-wait requires --wait, which is missing\n',
    });
});

test('how many and how long are checked before anything is sent', { timeout }, async () => {
  const lines = {
    'tasks wait nobody --max-wait=-1': 'expected a time, as in 30, 90s or 5m',
    'tasks log nobody --tail=-3': 'not less than 0',
    'statements results nobody --page=-1': 'not less than 0',
    'supervisors history nobody --count=-1': 'not less than 0',
    'supervisors wait nobody --max-lag=-1': 'not less than 0',
    'tasks sample nowhere.json --rows=-1': 'not less than 0',
  };
  for (const [line, words] of Object.entries(lines))
    expect({ line, ...(await told(line)) }).toMatchObject({
      line,
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
});

test('the value of a parameter is checked by its type before anything is sent', {
  timeout,
}, async () => {
  const lines = {
    'NOPE:5': '[NOPE] is not a SQL type; there are ANY, ARRAY, BIGINT',
    'VARCHR:a': 'hint: did you mean VARCHAR?',
    'INTEGER:5.5': 'is not of type INTEGER; expected a whole number',
    'DOUBLE:much': 'is not of type DOUBLE; expected a number',
    'BOOLEAN:5': 'is not of type BOOLEAN; expected true or false',
    'TIMESTAMP:soon': 'is not of type TIMESTAMP; expected a time',
    'DATE:2024-5-1': 'is not of type DATE; expected a day',
    'ARRAY:1': 'is not of type ARRAY; expected a JSON array',
  };
  for (const [param, words] of Object.entries(lines))
    expect({ param, ...(await told(`sql 'SELECT ?' --param ${param}`)) }).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    });
  const given =
    "--param BIGINT:007 --param boolean:TRUE --param 'TIMESTAMP:2015-09-12 10:00:00' --param VARCHAR:NULL --param DOUBLE:-0.5";
  expect(await said(`sql 'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e' ${given} -o jsonl`)).toBe(
    '{"a":7,"b":true,"c":"2015-09-12T10:00:00.000Z","d":null,"e":-0.5}\n',
  );
});

test('a statement that wrote has no rows, and that is valid in every format', {
  timeout,
}, async () => {
  const insert =
    "REPLACE INTO written OVERWRITE ALL SELECT TIMESTAMP ''2020-01-01'' AS __time, 1 AS n PARTITIONED BY ALL".replaceAll(
      "''",
      "'",
    );
  const id = (await said(`statements submit "${insert}" --wait --quiet`)).trim();
  for (const [format, empty] of Object.entries({
    json: '[]\n',
    yaml: '[]\n',
    jsonl: '',
    csv: '',
    tsv: '',
    name: '',
    table: '',
    none: '',
  }))
    expect({ format, stdout: await said(`statements results ${id} -o ${format}`) }).toEqual({
      format,
      stdout: empty,
    });
});
