// Explanations of SQL task faults.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { explanationOf } from '../../src/cli/help/faults.ts';
import { lines, runCli } from '../support/cli.ts';

const nowhere = { url: 'http://127.0.0.1:1' };

test('svcctl help fault explains each code it lists, in lines of sentences', async () => {
  const { stdout, code } = await runCli(nowhere, 'help fault');
  const codes = lines(stdout).flatMap((line) => /^ {2}(\w+)$/.exec(line)?.slice(1) ?? []);
  expect({ code, count: codes.length }).toEqual({ code: 0, count: 35 });
  for (const name of codes) {
    const { means = '', remedy = '' } = explanationOf(name) ?? {};
    for (const sentence of [means, remedy]) expect(sentence).toMatch(/^([A-Z]|svcctl ).*\.$/);
  }
});

test('a code is found in any case; a misspelled one is refused with the one that is meant', async () => {
  expect(await runCli(nowhere, 'help fault toomanybuckets')).toEqual({
    stdout: expect.stringMatching(
      /^TooManyBuckets\n\nThe rows are in more time chunks .*\n\nUse a coarser PARTITIONED BY .*\n$/s,
    ),
    stderr: '',
    code: 0,
  });
  expect(await runCli(nowhere, 'help fault TooManyBukets')).toEqual({
    stdout: '',
    stderr:
      'error: Fault code [TooManyBukets] does not exist\nhint: did you mean TooManyBuckets?\n',
    code: 2,
  });
  expect((await runCli(nowhere, 'help fault constructor')).code).toBe(2);
});

test('every fault that serve reports is explained', () => {
  const sources = ['src/server/overlord/multi-stage', 'src/server/statements'].flatMap((folder) =>
    readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')),
  );
  const codes = sources.flatMap((source) =>
    [...source.matchAll(/(?:QueryFailed\(\s*|errorCode: )'(\w+)'/g)].map(([, code = '']) => code),
  );
  expect(codes.length).toBeGreaterThan(10);
  for (const code of codes)
    expect({ code, explained: explanationOf(code) !== undefined }).toEqual({
      code,
      explained: true,
    });
});
