// The examples of README.md for Kafka: blocks in `sh kafka`, run literally but for the address of
// the broker.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { broker, brokers, hasBroker } from './streams.ts';

const examples = [...readFileSync('README.md', 'utf8').matchAll(/^```sh kafka\n(.*?)^```$/gms)]
  .map(([, text = '']) => text)
  .join('');

test.skipIf(!hasBroker)('the examples of the README for Kafka run', async () => {
  const client = broker();
  await client.createTopic('edits');
  await client.produce(
    'edits',
    [1, 2].map((added) => ({
      value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added }),
    })),
  );
  const cwd = mkdtempSync(join(tmpdir(), 'svcctl-readme-kafka-'));
  try {
    expect(examples).toContain('svcctl supervisors create');
    const { stdout, stderr, code } = await runShell(
      await startService(),
      `set -e; ${examples.replaceAll('localhost:9092', brokers.PLAINTEXT ?? '')}`,
      { cwd },
    );
    expect({ stderr, code }).toMatchObject({ code: 0 });
    expect(stdout).toContain('RUNNING');
  } finally {
    rmSync(cwd, { recursive: true, force: true });
    await client.deleteTopic('edits');
  }
});
