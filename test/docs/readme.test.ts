// The examples of README.md and docs/users.md. Blocks in `sh` run one after the other beside a
// service with sample data, blocks in `console` also show the output, and blocks in `shell` do not
// run.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { yamlIn } from '../../src/cli/output/yaml.ts';

const text = ['README.md', 'docs/users.md'].map((path) => readFileSync(path, 'utf8')).join('\n');
const blocks = [...text.matchAll(/^```(sh|console)\n(.*?)^```$/gms)].map(([, kind, text = '']) => ({
  kind,
  text: text.replaceAll('http://127.0.0.1:8888', '$SVCCTL_URL'),
}));
const shown = blocks.filter(({ kind }) => kind === 'console').map(({ text }) => text);
const examples = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text);

test('the examples of the README run, and print what it says', async () => {
  expect([shown.length, examples.length > 3]).toEqual([1, true]);
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-readme-'));
  try {
    mkdirSync(join(folder, 'bin'));
    symlinkSync(resolve('bin/svcctl.cjs'), join(folder, 'bin/svcctl'));
    const commands = shown.flatMap((text) =>
      text.split('\n').filter((line) => line.startsWith('$ ')),
    );
    const script = [
      'set -eo pipefail',
      ...commands.map((line) => `cat <<'END'\n${line}\nEND\nSVCCTL_OUTPUT=table ${line.slice(2)}`),
      'exec >examples.txt',
      ...examples,
    ];
    writeFileSync(join(folder, 'examples.sh'), script.join('\n'));
    const { code, stdout, stderr } = await runBeside(['bash', 'examples.sh'], folder);
    expect(code, stderr).toBe(0);
    expect(stdout).toBe(shown.join(''));
    expect(readFileSync(join(folder, 'examples.txt'), 'utf8')).toMatch(/\bParis\b.*7\b/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the steps of the job for GitHub Actions do what they say, and fail when the numbers are wrong', () => {
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(readFileSync('README.md', 'utf8')) ?? [];
  const { jobs } = yamlIn(yaml) as {
    jobs: { load: { steps: { run?: string; shell?: string }[] } };
  };
  const steps = jobs.load.steps.filter(({ run }) => run && !run.startsWith('npm install')); // that is tried by test/e2e/install.test.ts
  expect(steps).toHaveLength(1);
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-job-'));
  try {
    for (const name of ['bin', 'data']) mkdirSync(join(folder, name));
    symlinkSync(resolve('bin/svcctl.cjs'), join(folder, 'bin/svcctl'));
    const job = (edits: readonly { added: number }[]) => {
      writeFileSync(
        join(folder, 'data/edits.json'),
        edits.map((edit) => `${JSON.stringify({ time: '2024-05-01', ...edit })}\n`).join(''),
      );
      return steps.map(({ run = '', shell = 'bash -e {0}' }) => {
        writeFileSync(join(folder, 'step.sh'), run);
        const env = {
          PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
          HOME: folder,
          CI: 'true',
          GITHUB_ACTIONS: 'true',
        };
        const args = ['-c', shell.replace('{0}', join(folder, 'step.sh'))];
        const { status, stderr } = spawnSync('bash', args, {
          cwd: folder,
          env,
          encoding: 'utf8',
          timeout: 100_000,
        });
        return { status, stderr };
      });
    };
    expect(job([{ added: 40 }, { added: 2 }])).toEqual([
      { status: 0, stderr: expect.stringContaining('[edits] answers queries') },
    ]);
    expect(job([{ added: 40 }])).toEqual([
      { status: 1, stderr: expect.stringContaining('[edits] answers queries') },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function runBeside(
  command: readonly string[],
  folder: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder };
  const args = [
    resolve('bin/svcctl.cjs'),
    'serve',
    '--demo',
    '--ephemeral',
    '--port',
    '0',
    '--',
    ...command,
  ];
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: folder, env, timeout: 100_000 },
      (_, stdout, stderr) => done({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
