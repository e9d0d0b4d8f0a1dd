// Charts of results, by `sql --chart` and \chart, against a real service.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, whenListening } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-chart-'));
const LANG = 'C.UTF-8';
let service: Service;

beforeAll(async () => {
  service = await startServer({ port: 0 });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const hours =
  'SELECT MILLIS_TO_TIMESTAMP(n * 3600000) AS since, n AS edits FROM (VALUES (0), (1), (2), (3)) AS t (n)';
const cities = "SELECT city, n FROM (VALUES ('Oslo', 4), ('Lima', 2), ('Rome', -1)) AS t (city, n)";

test('the columns choose the chart; in a pipe it has 80 columns and no colours', async () => {
  const bars = await runCli(service, `sql --chart "${cities}"`, { env: { LANG } });
  expect(bars).toMatchObject({ code: 0, stderr: '' });
  expect(lines(bars.stdout)).toEqual([
    `Oslo ${' '.repeat(14)}${'█'.repeat(58)}  4`,
    `Lima ${' '.repeat(14)}${'█'.repeat(29)}${' '.repeat(29)}  2`,
    `Rome ${'█'.repeat(14)}${' '.repeat(58)} -1`,
    '     n',
  ]);
  const line = await runCli(service, `sql --chart "${hours}"`, { env: { LANG } });
  expect(line.stdout).toContain('since: 1970-01-01 to 1970-01-01 03:00 UTC');
  expect(line.stdout).toMatch(/[\u2801-\u28ff]/u); // Braille
});

test('the kind of chart may stand behind the flag, and the locale decides on the letters', async () => {
  const { stdout } = await runCli(service, `sql --chart histogram "${cities}"`, {
    env: { LC_ALL: 'C' },
  });
  expect(stdout).toMatch(/^-1 #+ 1\n/);
  expect(stdout).toMatch(/^\p{ASCII}*$/u);
});

test('on a terminal, series have colours and the chart fits', async () => {
  const grouped = `SELECT MILLIS_TO_TIMESTAMP(n * 3600000) AS t, city, n FROM (VALUES ('a', 1), ('b', 2), ('a', 3)) AS t (city, n)`;
  const { stdout } = await runCli(service, `sql --chart "${grouped}"`, {
    tty: true,
    cols: 50,
    env: { TERM: 'xterm-256color', LANG },
  });
  expect(stdout).toContain('\x1b[38;5;31m●\x1b[39m a  \x1b[38;5;136m◆\x1b[39m b');
  const plain = stdout.replace(new RegExp(`${'\\x1b'}\\[[0-9;]*m`, 'g'), '');
  for (const line of lines(plain)) expect([...line].length).toBeLessThanOrEqual(50);
});

test('svg is a document for a file', async () => {
  const { stdout } = await runCli(service, `sql --chart svg "${hours}"`);
  expect(stdout).toMatch(/^<\?xml version="1.0"[\s\S]*<polyline [\s\S]*<\/svg>\n$/);
});

test('an answer without rows or numbers is said in words', async () => {
  expect(await runCli(service, `sql --chart "${cities} WHERE n > 9"`)).toEqual({
    stdout: '',
    stderr: 'The result has no rows to draw.\n',
    code: 0,
  });
  expect(await runCli(service, `sql --chart "SELECT 'a' AS city"`)).toEqual({
    stdout: '',
    stderr:
      'error: The result has no column with numbers to draw\nhint: add one, such as COUNT(*)\n',
    code: 2,
  });
  expect(await runCli(service, `sql --chart -o json "SELECT 1"`)).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('--chart draws the whole result'),
    code: 2,
  });
});

test('\\chart draws the last statement again, and into a file', async () => {
  const { stdout, code } = await runCli(service, 'sql', {
    tty: true,
    cwd: folder,
    env: { TERM: 'xterm', NO_COLOR: '1', SVCCTL_PAGER: 'cat', LANG, XDG_STATE_HOME: folder },
    types: [
      ['\\q leaves', `${cities};\r`, whenListening],
      ['3 rows', '\\chart\r', whenListening],
      ['3 rows', '\\chart nope\r', whenListening],
      ['does not exist', '\\chart cities.svg\r', whenListening],
      ['written to', '\x04', whenListening],
    ],
  });
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/Oslo +█{40,} +4\n/);
  expect(stdout).toContain('error: Chart [nope] does not exist: there are auto, line, bar');
  expect(readFileSync(join(folder, 'cities.svg'), 'utf8')).toContain('Oslo');
});
