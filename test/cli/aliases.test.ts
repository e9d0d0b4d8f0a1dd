import { expect, test } from 'vitest';
import { withoutAliases } from '../../src/cli/aliases.ts';
import { commands } from '../../src/commands/index.ts';
import { runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { finishedTask } from '../support/tasks.ts';

test.each([
  ['task list', 'tasks list'],
  ['task ls --failed', 'tasks list --failed'],
  ['group-mapping get x', 'group-mappings get x'],
  ['ds', 'datasources list'],
  ['ds get wikipedia', 'datasources get wikipedia'],
  ['ls -o json', 'datasources list -o json'],
  ['ps --state running', 'tasks list --unfinished-first --state running'],
  ['-p eu task status a', '-p eu tasks status a'],
  ['query run', 'query run'],
  ['sql ls', 'sql ls'],
  ['nothing ls', 'nothing ls'],
  ['help task', 'help tasks'],
  ['ds --help', 'datasources --help'],
  ['api /status --include', 'api GET /status --include'],
  ['api POST /status', 'api POST /status'],
  ['__complete -- task st', '__complete -- tasks st'],
  ['__complete -- ds', '__complete -- ds'],
])('svcctl %s is svcctl %s', async (line, meant) => {
  expect((await withoutAliases(line.split(' '), commands)).join(' ')).toBe(meant);
});

test('a singular noun and a short verb run, complete and have help', async () => {
  const service = await startService({ tasks: [finishedTask('ingest-1')] });
  expect((await runCli(service, 'task ls -o name')).stdout).toBe('ingest-1\n');
  expect((await runCli(service, '__complete -- task ret')).stdout).toContain('retry');
  expect((await runCli(service, 'task retry --help')).stdout).toContain('svcctl tasks retry');
});
