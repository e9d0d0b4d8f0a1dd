// The code cache starts the program; foreign cache files are ignored.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { codeCacheOf } from '../../src/cli/code-cache.ts';

test('V8 takes the code that the build compiled for it', () => {
  const folder = codeCacheOf(resolve('dist'));
  const flags = process.versions.node.startsWith('20.') ? ['--liftoff-only'] : [];
  const check = `
    const { wrap } = require('node:module');
    const [chunks, folder, ...files] = process.argv.slice(1);
    const { readFileSync } = require('node:fs');
    for (const file of files) {
      const cachedData = readFileSync(folder + '/' + file);
      const script = new vm.Script(wrap(readFileSync(chunks + '/' + file, 'utf8')), { cachedData });
      console.log(file.replace(/-.*/, ''), script.cachedDataRejected);
    }`;
  const said = execFileSync(
    process.execPath,
    [...flags, '-e', check, 'dist/chunks', folder, ...readdirSync(folder)],
    { encoding: 'utf8' },
  );
  expect(said).toContain('program false\n');
  expect(said).toContain('transport false\n');
  expect(said).toContain('tasks false\n');
  expect(said).not.toContain('true');
});

test('broken code in its place does no harm', () => {
  const copy = mkdtempSync(join(tmpdir(), 'svcctl-copy-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const folder = codeCacheOf(join(copy, 'dist'));
  for (const file of readdirSync(folder)) writeFileSync(join(folder, file), 'not what V8 wrote');
  const listed = execFileSync(
    process.execPath,
    [join(copy, 'bin/svcctl.cjs'), 'profiles', 'list', '-o', 'json'],
    {
      env: { XDG_CONFIG_HOME: copy },
      encoding: 'utf8',
    },
  );
  expect(listed).toBe('[]\n');
});

// Node gives import() to what it has compiled itself: what stands in the cache asks
// process.getBuiltinModule.
test('what comes from the cache imports nothing of Node', () => {
  for (const file of readdirSync(codeCacheOf(resolve('dist'))))
    expect([
      file,
      readFileSync(join('dist/chunks', file), 'utf8').match(/^[^*/]*\bimport\(.*/gm),
    ]).toEqual([file, null]);
});

test('a completion of tasks does not wait for the parser', () => {
  const texts = readdirSync('dist/chunks').map((file) =>
    readFileSync(join('dist/chunks', file), 'utf8'),
  );
  const noun = texts.find(
    (text) => text.includes('summary: "List tasks"') && text.includes('summary: "Cancel tasks'),
  );
  expect(noun).toBeDefined();
  expect(noun).not.toMatch(/require\("\.\/program-/);
});
