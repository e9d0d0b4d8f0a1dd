// Generated files are current.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generatedFiles, wholeFolders } from '../../src/docs/index.ts';

const files = await generatedFiles();

test('every generated file is current (npm run docs writes them)', () => {
  const stale = Object.entries(files).filter(
    ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
  );
  expect(stale.map(([path]) => path)).toEqual([]);
});

test('folders of generated files hold nothing else', () => {
  const found = wholeFolders.flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );
  expect(found.filter((path) => !(path in files))).toEqual([]);
});

test.skipIf(isMissing('groff'))('groff has nothing to say against the manual', () => {
  expect(output(`groff -man -Tutf8 -wall -rLL=300n ${manual()}/*.1 2>&1 >/dev/null`)).toBe('');
});

test.skipIf(isMissing('mandoc'))(
  'mandoc has nothing to say against the manual, nor against its style',
  () => {
    expect(output(`mandoc -T lint ${manual()}/*.1 || true`)).toBe('');
  },
);

test.skipIf(isMissing('lexgrog'))('apropos finds every page by its name', () => {
  const names = output(`lexgrog ${manual()}/*.1`).trimEnd().split('\n');
  expect(names).toHaveLength(Object.keys(files).filter((path) => path.startsWith('man/')).length);
  for (const name of names) expect(name).toMatch(/^\S+\/(svcctl[-\w]*)\.1: "\1 - [^"]+"$/);
});

test.each(
  [
    ['bash', 'svcctl.bash'],
    ['zsh', '_svcctl'],
    ['fish', 'svcctl.fish'],
  ].filter(([shell = '']) => !isMissing(shell)),
)('%s can read its completion script', (shell, script = '') => {
  const folder = written({ [script]: files[`completions/${script}`] ?? '' });
  expect(output(`${shell} -n ${join(folder, script)} 2>&1`)).toBe('');
});

// The pages as they are now, whatever the committed ones say.
const manual = () =>
  written(
    Object.fromEntries(
      Object.entries(files).flatMap(([path, text]) =>
        path.startsWith('man/') ? [[basename(path), text]] : [],
      ),
    ),
  );

function written(texts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return folder;
}

function isMissing(program: string): boolean {
  if (output(`command -v ${program} || true`) !== '') return false;
  console.warn(`SKIPPED: ${program} is not installed, what it says is not tested`);
  return true;
}

function output(line: string): string {
  return execFileSync('bash', ['--norc', '-c', line], { encoding: 'utf8' });
}
