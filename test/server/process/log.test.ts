// Messages of the log hold names of users: none of them begins an entry of its own, or moves the
// cursor of the one who reads.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { logAs, logError } from '../../../src/server/process/log.ts';
import { TaskLogs } from '../../../src/server/tasks/task-logs.ts';

const name = 'x]\nerror: forged\r\x1b[2J\x9b1A\u202e\u2028y';
const shown = 'x]\\nerror: forged\\r\\u001b[2J\\u009b1A\\u202e\\u2028y';

afterEach(() => {
  logAs('text');
  vi.restoreAllMocks();
});

function logged(work: () => void): string {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  work();
  return text;
}

test('in the log of the service only an error begins a line', () => {
  const text = logged(() =>
    logError(Object.assign(new Error(`No table [${name}]`), { table: name })),
  );
  expect(text).toMatch(
    /^Error: No table \[x\]\n {2}error: forged\\r\\u001b\[2J\\u009b1A\\u202e\\u2028y\]\n +at /,
  );
  expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e|\u2028|^error/mu);
});

test('an entry of the log in JSON is one line, which holds the name as it is', () => {
  logAs('json');
  const text = logged(() => logError(new Error(`No table [${name}]`)));
  expect(text).toMatch(/^[^\n]*\n$/);
  expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e|\u2028/u);
  expect(JSON.parse(text)).toMatchObject({ level: 'error', message: `No table [${name}]` });
});

test('an entry in the log of a task is one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-task-logs-'));
  try {
    const log = new TaskLogs(folder, () => 0).open('t');
    log.write('INFO', `Running task on datasource [${name}]`);
    log.write('ERROR', 'Task failed');
    log.close();
    expect(readFileSync(join(folder, 't.log'), 'utf8')).toBe(
      `1970-01-01T00:00:00.000Z INFO [t] Running task on datasource [${shown}]\n1970-01-01T00:00:00.000Z ERROR [t] Task failed\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
