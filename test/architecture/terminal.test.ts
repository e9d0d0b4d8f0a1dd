// Output passes one guard: only listed files use the streams of the process.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const files = [
  'src/cli',
  'src/commands',
  'src/client',
  'src/docs',
  'src/model',
  'src/contract',
].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const filesWith = (pattern: RegExp) =>
  files.filter((file) => pattern.test(readFileSync(file, 'utf8'))).sort();

test('the streams of the process have no other users', () => {
  expect(filesWith(/process\.std(out|err)\b(?! is not)|console\.\w+\(|\bwriteSync\(1,/)).toEqual([
    'src/cli/profiles/keychain.ts', // in a process of its own, into a pipe
    'src/cli/profiles/secrets.ts', // a password command's own words, as an editor's
    'src/cli/terminal/print.ts', // escapes by itself: it is there before any stream is
  ]);
});

test('only libraries that draw get a stream without its guard', () => {
  expect(filesWith(/import {[^}]*\b(rawStream|drawingStream)\b/)).toEqual([
    'src/cli/input/prompt.ts',
    'src/cli/output/progress.ts',
    'src/commands/sql/shell/line-editor.ts',
  ]);
});

test('a control sequence of our own is never made of a text', () => {
  const made = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bcontrol\((?!sequence)(.*?)\)/g)].map(
      ([, what]) => what,
    ),
  );
  expect(made.length).toBeGreaterThan(10);
  const literal =
    /^('[^']+'|`\\x1b\[\$\{(at \+ 1|line \+ 1|shown\.length)\}(;1H|A)`|begin|end|isWanted \? '[^']+' : '[^']+')$/;
  expect(made.filter((what) => !literal.test(what ?? ''))).toEqual([]);
});
