import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { plainPainter } from '../../src/cli/output/painter.ts';
import { progressOn } from '../../src/cli/output/progress.ts';
import { guardStream } from '../../src/cli/terminal/terminal.ts';
import { liveReport } from '../../src/commands/tasks/live-report.ts';

function screen(isTTY: boolean, env = {}, columns = 80) {
  let text = '';
  const stderr = Object.assign(new PassThrough(), {
    isTTY,
    columns,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  stderr.on('data', (data) => {
    text += data;
  });
  return { io: { stderr: guardStream(stderr) as never, env }, text: () => text };
}

test('10: off a terminal, waiting is one line per change', async () => {
  const { io, text } = screen(false);
  let now = 0;
  const progress = progressOn(io, {}, plainPainter, () => now)('Ingesting');
  progress.update({ stage: 'reading', rows: 10, fraction: 0.01 });
  progress.update({ stage: 'reading', rows: 20, fraction: 0.02 });
  now = 12_000;
  progress.update({ stage: 'sorting', rows: 1000n, bytes: 2048, fraction: 0.5 });
  progress.done('Task [a] is done');
  await sleep(10);
  expect(text()).toBe(
    'Ingesting: reading, 1 %, 10 rows\nIngesting: sorting, 50 %, 1000 rows, 82 rows/s, 2.0 KiB, 12s elapsed, about 12s left\nTask [a] is done\n',
  );
});

test.each([
  ['in letters of all languages', { LANG: 'en_GB.UTF-8' }, '✖', /[⠋⠙⠹⠸]/],
  [
    'in ASCII where the locale knows no other letters',
    { LANG: 'en_GB.UTF-8', LC_ALL: 'C' },
    'x',
    /^\p{ASCII}*$/u,
  ],
])('10: on a terminal, one line lives and goes, %s', async (_, env, mark, signs) => {
  const { io, text } = screen(true, env);
  const progress = progressOn(io, {})('Waiting');
  progress.update({ stage: 'RUNNING' });
  for (let waited = 0; !text().includes('Waiting: RUNNING') && waited < 200; waited++)
    await sleep(20);
  expect(text()).toContain('Waiting: RUNNING');
  progress.failed('Task [a] failed');
  await sleep(50);
  expect(text()).toContain(`${mark} Task [a] failed\n`);
  expect(text()).toMatch(signs);
});

test('10: the sentence that ends a report that was followed is broken between words', async () => {
  const { io, text } = screen(true, { LANG: 'C.UTF-8' }, 30);
  const follow = await liveReport({
    io,
    resolved: { winners: new Map(), settings: { noColor: true } },
  } as never);
  follow('Task [ingest-1]').done('Task [ingest-1] succeeded after 3.0s');
  for (let waited = 0; text() === '' && waited < 200; waited++) await sleep(20);
  expect(text()).toBe('✔ Task [ingest-1] succeeded\nafter 3.0s\n');
});

test('10: --quiet waits in silence', () => {
  const { io, text } = screen(true);
  const progress = progressOn(io, { quiet: true })('Waiting');
  progress.update({ stage: 'RUNNING' });
  progress.done('done');
  expect(text()).toBe('');
});
