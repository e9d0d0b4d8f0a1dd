// Somebody else's idea of bad input: Schemathesis reads the OpenAPI document and asks for what
// nobody thought of.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApi } from '../../src/contract/openapi.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { api } from '../support/wire.ts';

const program = process.env.SCHEMATHESIS ?? 'schemathesis';
const isMissing = spawnSync(program, ['--version']).status !== 0;
if (isMissing)
  console.warn(
    'SKIPPED: schemathesis (PyPI) is not installed, nor does SCHEMATHESIS name it; the OpenAPI document is not tried out',
  );

const examples = Number(process.env.FUZZ_REQUESTS ?? 100); // for each operation
const seconds = Number(process.env.FUZZ_SECONDS ?? 1800);
const seed = Number(process.env.SEED ?? Date.now() % 100_000);

test.skipIf(isMissing)(
  `every status that Schemathesis meets is in the OpenAPI document (seed ${seed})`,
  { timeout: (seconds + 120) * 1000 },
  async () => {
    const service = await startServed(['--ephemeral', '--worker-capacity', '2']);
    onTestFinished(() => void service.kill());
    const cwd = await temporaryFolder(); // it keeps notes where it runs
    const document = join(cwd, 'openapi.json');
    await writeFile(document, JSON.stringify(openApi('svc')));
    // Content types are not looked at: some replies have none, as those of the real engine.
    const checks = [
      '--checks',
      'status_code_conformance',
      '--phases',
      'coverage,fuzzing',
      '--continue-on-failure',
    ];
    const bounds = [
      '--max-examples',
      String(examples),
      '--request-timeout',
      '20',
      '--max-time',
      String(seconds),
      '--seed',
      String(seed),
    ];
    const run = spawn(
      program,
      ['run', document, '--url', service.url, ...checks, ...bounds, '--no-color'],
      {
        timeout: (seconds + 60) * 1000,
      },
    );
    let said = '';
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = await once(run, 'close');
    expect(said, `seed ${seed}`).toContain('Tested:');
    expect(code, said.split('= WARNINGS')[0]).toBe(0);
    expect(service.said()).not.toContain('    at ');
    expect(
      (await api(service).post('/svc/v2/sql', { query: 'SELECT 1', resultFormat: 'array' })).body,
    ).toEqual([[1]]);
  },
);
