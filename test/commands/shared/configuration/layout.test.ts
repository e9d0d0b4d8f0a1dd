// Names of things come from the service, and are anything: no file leaves its folder, and each name
// comes back from its file.
import { isAbsolute, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { nameOf, pathOf } from '../../../../src/commands/shared/configuration/layout.ts';

const names = [
  '..',
  '../../etc/x',
  '/etc/passwd',
  'C:\\x',
  'a\0b',
  '\x9b2J',
  '\u202egpj.yaml',
  'line\u2028end\n',
  '.hidden',
  '~root',
  '-rf',
  ' x ',
  'x.',
  'CON',
  'nul.txt',
  'com1',
  'LPT9.',
  'console',
  '%2F',
  '%2e%2e',
  '東京',
];

test('a name leads nowhere else, and is what its file says', () => {
  for (const name of names) {
    const path = pathOf('rules', name, new Set());
    expect({ name, path: normalize(path), isAbsolute: isAbsolute(path) }).toEqual({
      name,
      path,
      isAbsolute: false,
    });
    expect(path).toMatch(/^rules\/[^/\\:*?"<>|\p{Cc}\p{Bidi_Control}\u2028]+\.yaml$/u);
    expect(path).not.toMatch(/^rules\/(\.|~|-| |(con|nul|com1|lpt9)\.)/i);
    expect(nameOf(path)).toEqual({ area: 'rules', name });
  }
});

test('names that a file system takes for one have files of their own', () => {
  const taken = new Set<string>();
  const alike = ['wiki', 'Wiki', 'WIKI', 'caf\u00e9', 'cafe\u0301', '%57iki'];
  const paths = alike.map((name) => pathOf('rules', name, taken));
  expect(new Set(paths.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(alike.length);
  expect(paths.map((path) => nameOf(path)?.name)).toEqual(alike);
});
