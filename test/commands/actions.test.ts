// Output of actions: a document in the requested format, sentences otherwise.
import { beforeAll, expect, test } from 'vitest';
import { tellStory } from '../support/story.ts';
import { streamSpec } from '../support/supervisors.ts';

const { told: run, file } = tellStory();

beforeAll(async () => {
  for (const dataSource of ['edits', 'views'])
    await file(
      `${dataSource}.json`,
      streamSpec({ dataSource, suspended: true, ioConfig: { startDelay: 'PT1H' } }),
    );
  await file('rules.json', [{ type: 'loadForever', tieredReplicants: { _default_tier: 1 } }]);
});

const timeout = 120_000;

test('without a format an action says a sentence to people, and stdout is empty; so it is with tables and with none', {
  timeout,
}, async () => {
  const said = {
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('Datasource [edits] has 1 rule.\nnext: '),
  };
  for (const format of ['', '-o table', '-o wide', '-o none'])
    expect(await run(`rules set edits --file rules.json ${format}`)).toEqual(said);
});

test('with a format it answers with a list of what was changed, and the sentence is there, too', {
  timeout,
}, async () => {
  const { stdout, stderr, code } = await run('supervisors apply edits.json -o json');
  expect(JSON.parse(stdout)).toEqual([
    { item: 'edits', result: 'done', message: 'Supervisor [edits] is set.' },
  ]);
  expect([code, stderr]).toEqual([
    0,
    'Supervisor [edits] is set.\nnext: svcctl supervisors status edits\n',
  ]);
  expect(JSON.parse((await run('supervisors apply edits.json -o json')).stdout)).toEqual([]); // it is as it was
  expect((await run('rules set edits --file rules.json -o csv -q')).stdout).toBe(
    'item,result,error\r\nedits,done,\r\n',
  );
  expect((await run('rules set edits --file rules.json -o name')).stdout).toBe('edits\n');
  expect((await run("rules set edits --file rules.json --query '[].item'")).stdout).toBe(
    '[\n  "edits"\n]\n',
  );
});

test('one thing or many, the shape is the same; a name on stdout is one that was changed', {
  timeout,
}, async () => {
  await run('supervisors apply edits.json');
  await run('supervisors apply views.json');
  const one = JSON.parse((await run('supervisors resume edits -o json')).stdout);
  const many = JSON.parse((await run('supervisors suspend edits nobody -o json')).stdout);
  expect(one).toEqual([
    { item: 'edits', result: 'done', message: 'Supervisor [edits] is resumed.' },
  ]);
  expect(many).toEqual([
    { item: 'edits', result: 'done', message: 'Supervisor [edits] is suspended.' },
    { item: 'nobody', result: 'failed', error: expect.stringContaining('nobody') },
  ]);
  expect(await run('supervisors resume edits nobody -o name')).toMatchObject({
    code: 1,
    stdout: 'edits\n',
  });
});

test('where there was nothing to do, the list is empty, also in a dry run; where it fails, there is none', {
  timeout,
}, async () => {
  expect((await run('tasks cancel --state pending -o json')).stdout).toBe('[]\n');
  expect((await run('tasks cancel --state pending -o yaml --dry-run')).stdout).toBe('[]\n');
  expect(await run('sql cancel nobody -o json')).toMatchObject({ code: 3, stdout: '' });
});

test('an action is not repeated by --watch', { timeout }, async () => {
  expect(await run('tasks cancel nobody --watch')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--watch'),
  });
});

test('a document that is a list is valid in every format, and -o name prints the id of one', {
  timeout,
}, async () => {
  await run('supervisors apply edits.json');
  const formats = {
    json: '[]\n',
    jsonl: '',
    csv: 'value\r\n',
    tsv: 'value\n',
    yaml: '[]\n',
    name: '',
  };
  for (const [format, stdout] of Object.entries(formats))
    expect({ format, ...(await run(`supervisors parse-errors edits -o ${format}`)) }).toMatchObject(
      { format, code: 0, stdout },
    );
  expect((await run('supervisors get edits -o name')).stdout).toBe('edits\n');
});

test('what a flag of many takes is said as of any other; what is not there has a hint that helps', {
  timeout,
}, async () => {
  expect((await run('supervisors wait edits --for foo')).stderr).toContain(
    'choices are running, idle, suspended, completed\n',
  );
  expect(await run('supervisors edit nobody')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('hint: svcctl supervisors list'),
  });
  expect(await run('tasks watch --until-idle --watch')).toMatchObject({ code: 2, stdout: '' });
});
