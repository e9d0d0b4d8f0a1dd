import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { fitProgress } from '../../../src/cli/output/fit-progress.ts';
import { partsOf } from '../../../src/cli/output/progress-state.ts';
import { watch } from '../../../src/cli/output/watch.ts';
import { liveLinesOn } from '../../../src/cli/terminal/live-lines.ts';
import { marksFor } from '../../../src/cli/terminal/marks.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';

const wide = 'x'.repeat(20);

function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true as const, columns: 20, rows: 10 });
  let text = '';
  stream.on('data', (data) => {
    text += data;
  });
  return { stream, text: () => text };
}

test('a line as wide as the terminal keeps its last letter: what stood there goes before it is written', async () => {
  const { stream, text } = terminal();
  liveLinesOn(stream).paint([wide]);
  const controller = new AbortController();
  await watch(
    async (stdout) => {
      stdout.write(`${wide}\n`);
      controller.abort();
      return 0;
    },
    {
      seconds: 1,
      isDocument: false,
      signal: controller.signal,
      io: { env: { TERM: 'xterm' }, stdout: stream as never },
    },
  );
  expect(text().split(wide)).toHaveLength(3);
  expect(text()).not.toContain(`${wide}\x1b[K`);
  expect(text().split(`\x1b[K${wide}`)).toHaveLength(3);
});

test('a line of progress gives up its lightest words, and never cuts a number', () => {
  const state = {
    stage: 'stage 2 of 3 reading input',
    rows: 39244,
    bytes: 1_468_006,
    fraction: 0.63,
    what: '',
    elapsedMs: 60_000,
    leftMs: 35_000,
    rowsPerSecond: 1200,
  };
  const task = 'Task [query-70b02965-2e88-4888-9bbb-dc684c2ead1c]';
  const marks = marksFor({ LANG: 'C.UTF-8' });
  const shown = (width: number) => fitProgress(task, state, { said: partsOf(state), width, marks });
  expect(shown(170)).toBe(
    `${task}: ██████░░░░ stage 2 of 3 reading input, 63 %, 39,244 rows, 1200 rows/s, 1.4 MiB, 1m0s elapsed, about 35s left`,
  );
  expect(shown(80)).toBe(
    'Task [query-70b02965-2e88-…: stage 2 of 3 reading input, 63 %, about 35s left',
  );
  expect(shown(60)).toBe('Task [query-70b02965-2…: stage 2 of 3 reading input, 63 %');
  for (let width = 20; width < 170; width++)
    expect(widthOf(shown(width)), String(width)).toBeLessThanOrEqual(width - 3);
});
