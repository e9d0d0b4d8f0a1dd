// The pager of tables: what it is started with, and when it is not started.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { standIn } from '../../support/stand-in.ts';
import { finishedTask } from '../../support/tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-pager-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tasks = (count: number) =>
  standIn(
    (response) =>
      void response
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify(
            Array.from({ length: count }, (_, at) => finishedTask(`task-${at}`).status),
          ),
        ),
  );

/** A program named less of the given version, which prints its flags and then its input. */
function lessOf(version: number) {
  const path = join(folder, `${version}`, 'less');
  const { mkdirSync } = process.getBuiltinModule('node:fs');
  mkdirSync(join(folder, `${version}`), { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "less ${version} (GNU regular expressions)"; else echo "flags=$LESS"; cat; fi\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

test.each([
  [590, 'tasks list', 'flags=-FRXS -Ps?eID       DATASOURCE  CREATED '],
  [608, 'tasks list', 'flags=-FRXS --header=1\n'],
  [608, 'tasks list --no-header', 'flags=-FRX\n'],
  [661, 'tasks list -o wide', 'flags=-RXS --header=1\n'],
  [661, 'tasks list -o json', 'flags=-FRX\n'],
])('less %i shows %s with %j', async (version, line, flags) => {
  const env = { TERM: 'xterm', NO_COLOR: '1', PAGER: lessOf(version) };
  const { stdout, code } = await runCli(await tasks(60), line, { tty: true, rows: 20, env });
  expect(stdout.slice(0, flags.length), stdout).toBe(flags);
  expect(code).toBe(0);
});

test('a list that fits opens no pager; where columns are left out, -o wide is hinted', async () => {
  const place = { tty: true, rows: 24, env: { TERM: 'xterm', NO_COLOR: '1', PAGER: lessOf(661) } };
  const fits = await runCli(await tasks(5), 'tasks list', { ...place, cols: 120 });
  expect(fits.stdout).not.toContain('flags=');
  const narrow = await runCli(await tasks(2), 'tasks list', { ...place, cols: 30 });
  expect(narrow.stdout.replace(/\s+/g, ' ')).toContain('or see all with -o wide');
  const wide = await runCli(await tasks(2), 'tasks list -o wide', { ...place, cols: 30 });
  expect(wide.stdout).toMatch(/^flags=-RXS --header=1\n(.{31,}\n)/); // scrolled, not cut
});

test('an older less shows the heading as its prompt, whole, and only where it can leave the screen', async () => {
  const place = { tty: true, rows: 20, env: { TERM: 'xterm', NO_COLOR: '1', PAGER: lessOf(590) } };
  const long = await runCli(await tasks(60), 'tasks list', { ...place, cols: 66 });
  const [, atEnd = '', before = ''] = /-Ps\?e(.*):(.*)\.\$/.exec(long.stdout) ?? [];
  expect(before).toMatch(/^ID .* DURATI?O?N?$/);
  expect(before.length).toBeLessThanOrEqual(63); // less cuts the beginning of a longer prompt
  expect(atEnd).toMatch(/ \(END\)$/);
  expect(atEnd.length).toBeLessThanOrEqual(63);
  const wide = await runCli(await tasks(2), 'tasks list -o wide', { ...place, cols: 30 });
  expect(wide.stdout).toMatch(/^flags=-RXS\n(.{31,}\n)/);
});
