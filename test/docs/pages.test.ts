// What is generated and committed is what would be generated now.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles, wholeFolders } from '../../src/docs/index.ts';

const files = await generatedFiles();

test('every generated file is current (npm run docs writes them)', () => {
  const stale = Object.entries(files).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  expect(stale.map(([path]) => path)).toEqual([]);
});

test('folders of generated files hold nothing else', () => {
  const found = wholeFolders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  expect(found.filter((path) => !(path in files))).toEqual([]);
});

test.skipIf(!isThere('groff'))('groff has nothing to say against the manual', () => {
  const pages = Object.keys(files).filter((path) => path.endsWith('.1'));
  for (const page of pages) {
    expect(output(`groff -man -Tutf8 -wall -rLL=300n ${page} 2>&1 >/dev/null`), page).toBe('');
  }
});

test.skipIf(!isThere('mandoc'))('mandoc has nothing to say against the manual', () => {
  expect(output('mandoc -T lint -W warning man/*.1 || true')).toBe('');
});

test('bash can read its completion script', () => {
  expect(output('bash -n completions/svcctl.bash')).toBe('');
});

function isThere(program: string): boolean {
  return output(`command -v ${program} || true`) !== '';
}

function output(line: string): string {
  return execFileSync('bash', ['--norc', '-c', line], { encoding: 'utf8' });
}
