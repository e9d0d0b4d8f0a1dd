import { expect, test } from 'vitest';
import { widthOf } from '../../../src/cli/terminal/width.ts';
import { sentenceOn, wrap } from '../../../src/cli/terminal/wrapped.ts';

const long = `[${'x'.repeat(70)}]`;

test('sentences are broken between words, by the room that letters take', () => {
  expect(wrap('one two three', 8)).toBe('one two\nthree');
  expect(wrap('日本語 日本語 日本語', 14)).toBe('日本語 日本語\n日本語');
});

test('a word that is longer than a line begins where there is room, and no line is wider than asked for', () => {
  for (const text of [
    `Supervisor ${long} is suspended`,
    `${'日本語'.repeat(30)} is dropped`,
    `ab ${'😀'.repeat(50)}`,
  ])
    for (const line of wrap(text, 60).split('\n'))
      expect(widthOf(line), text).toBeLessThanOrEqual(60);
  expect(wrap(`Supervisor ${long} is suspended`, 60)).toBe(
    `Supervisor ${long.slice(0, 49)}\n${long.slice(49)} is suspended`,
  );
});

test('on a terminal a long name stays in one piece, for the terminal to break and to copy, and the words behind it follow it', () => {
  const terminal = { isTTY: true, columns: 60 };
  expect(sentenceOn(terminal, `Supervisor ${long} is suspended`)).toBe(
    `Supervisor ${long} is suspended`,
  );
  expect(sentenceOn(terminal, `Supervisor ${long} is suspended because somebody has said so`)).toBe(
    `Supervisor ${long} is suspended because somebody has\nsaid so`,
  );
  expect(sentenceOn({ isTTY: false }, `${long} ${long}`)).toBe(`${long} ${long}`);
});

test('a mark below a text stays where it points at, however long the sentence above is', () => {
  const pointed = `--where: expected a value, found ">" at position 11\n  duration >>\n${' '.repeat(12)}^`;
  expect(sentenceOn({ isTTY: true, columns: 60 }, pointed)).toBe(pointed);
});

test('commands in hints stay in one line', () => {
  const hint = `hint: svcctl why supervisor ${long} --output json --no-header`;
  expect(sentenceOn({ isTTY: true, columns: 40 }, hint)).toBe(hint);
});

test('words around the commands of a hint are wrapped', () => {
  const terminal = { isTTY: true, columns: 60 };
  expect(
    sentenceOn(
      terminal,
      'hint: svcctl help fault InsertTimeNull explains how to correct or to skip such rows',
    ),
  ).toBe('hint: svcctl help fault InsertTimeNull explains how to\ncorrect or to skip such rows');
  expect(
    sentenceOn(
      terminal,
      'hint: an example: svcctl compaction progress wikipedia; svcctl compaction list shows which datasources are compacted',
    ),
  ).toBe(
    'hint: an example: svcctl compaction progress wikipedia;\nsvcctl compaction list shows which datasources are compacted',
  );
  const query = `next: svcctl sql 'SELECT "a shows b" FROM "some; table" LIMIT 5' --output json`;
  expect(sentenceOn(terminal, query)).toBe(query);
});
