import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine, quoteWord } from '../../src/model/shell-text.ts';

test.each([
  ['ingest-1', 'ingest-1'],
  ['größe_東京', 'größe_東京'],
  ['my task', "'my task'"],
  ['$HOME `id` "x"', `'$HOME \`id\` "x"'`],
  ["it's", `'it'\\''s'`],
  ['=ls', "'=ls'"],
  ['~root', "'~root'"],
  ['', "''"],
  ['red \x1b[31m', "$'red \\u001b[31m'"],
  ['one\nhint: two', "$'one\\u000ahint: two'"],
  ["it's \\ a\ttab", "$'it\\'s \\\\ a\\u0009tab'"],
  ['\u202egpj\x9b', "$'\\u202egpj\\u009b'"],
  ['a\0b', "$'a\ufffdb'"],
])('the word %j is written %s', (word, written) => {
  expect(quoteWord(word)).toBe(written);
});

test('bash reads back every word as it was', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      const read = execFileSync(
        'bash',
        ['--norc', '-c', `printf '%s\\0' ${words.map(quoteWord).join(' ')}`],
        {
          env: { LC_ALL: 'C.UTF-8' },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      expect(read.toString()).toBe(words.map((one) => `${one}\0`).join(''));
    }),
    { numRuns: 50 },
  );
});

test('arguments that begin with a hyphen stand behind the options and --', () => {
  const [name, other] = ['-x', 'a b'];
  expect(commandLine`svcctl tasks get ${name}`).toBe('svcctl tasks get -- -x');
  expect(commandLine`svcctl rules get ${name} --full`).toBe('svcctl rules get --full -- -x');
  expect(commandLine`svcctl tasks log ${name} --tail ${20}`).toBe(
    'svcctl tasks log --tail 20 -- -x',
  );
  expect(commandLine`svcctl users grant ${name} ROLE`).toBe('svcctl users grant -- -x ROLE');
  expect(commandLine`svcctl tasks cancel ${[other, name]}`).toBe("svcctl tasks cancel -- 'a b' -x");
  expect(commandLine`svcctl segments list --datasource ${name} --unused`).toBe(
    'svcctl segments list --datasource -x --unused',
  );
  expect(commandLine`svcctl rules get ${other} --full`).toBe("svcctl rules get 'a b' --full");
});
