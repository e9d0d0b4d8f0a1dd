// The npm package: small, complete, and working outside of its sources.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Packed {
  readonly size: number;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const programs = [
  'dist/avro-process.cjs',
  'dist/main.cjs',
  'dist/planning-process.cjs',
  'dist/query-process.cjs',
];
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svcctl-package-')));
let packed: Packed;

// Offline and without building: the tests run what is built already.
beforeAll(() => {
  const said = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--offline', '--json', '--pack-destination', folder],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  [packed] = JSON.parse(said) as [Packed];
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules')); // found from package/ as npm would lay them out
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const svcctl = (args: readonly string[], env: Record<string, string> = {}) =>
  execFileSync(process.execPath, [join(folder, 'package/bin/svcctl.cjs'), ...args], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('the package is no larger than 2 MB', () => {
  expect(packed.size).toBeLessThanOrEqual(2_000_000);
});

test('the package has the program, its manual and completions, and nothing of how they are made', () => {
  const paths = packed.files.map(({ path }) => path);
  const [own, alone] = [true, false].map((inFolder) =>
    paths.filter((path) => path.includes('/') === inFolder),
  );
  expect(alone?.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'NOTICE',
    'README.md',
    'package.json',
  ]);
  expect([...new Set(own?.map((path) => path.split('/')[0]))].toSorted()).toEqual([
    'bin',
    'completions',
    'dist',
    'man',
  ]);
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/svcctl.cjs',
      ...programs,
      'man/svcctl.1',
      'completions/svcctl.bash',
    ]),
  );
  for (const name of readdirSync('dist/chunks')) expect(paths).toContain(`dist/chunks/${name}`);
  const others = paths.filter(
    (path) =>
      path.startsWith('dist/') &&
      !programs.includes(path) &&
      !/^dist\/(chunks\/[^/]+\.cjs|pages\/[a-z-]+\.json)$/.test(path),
  );
  expect(others).toEqual(['dist/demo/wikiticker-2015-09-12-one-in-ten.json.gz']);
});

test('unpacked, it says its version and explains itself', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(svcctl(['--version'])).toBe(`${version}\n`);
  expect(svcctl(['--help'])).toContain('Common commands:');
  expect(svcctl(['help', 'tasks', 'list'])).toContain('svcctl tasks list --state running');
});

test('unpacked, it serves its sample data and lists the task that brought them in', () => {
  const program = join(folder, 'package/bin/svcctl.cjs');
  const script = `'${process.execPath}' '${program}' tasks list --type query_controller --columns type,status -o csv &&
    '${process.execPath}' '${program}' sql -o csv 'SELECT COUNT(*) AS n, MAX(TIME_FLOOR(__time, '"'PT6H'"')) AS "last" FROM wikipedia'`;
  expect(svcctl(['serve', '--demo', '--ephemeral', '--port', '0', '--', 'sh', '-c', script])).toBe(
    'type,status\r\nquery_controller,SUCCESS\r\nn,last\n3925,2015-09-12T18:00:00.000Z\n',
  );
});
