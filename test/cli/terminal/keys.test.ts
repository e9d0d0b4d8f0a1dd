// Keys from the bytes that terminals send.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keyReader, keysIn } from '../../../src/cli/terminal/keys.ts';

test.each([
  ['a', ['a']],
  ['日', ['日']],
  ['\x1b[A\x1bOB', ['up', 'down']],
  ['\x1b[5~\x1b[6~', ['page-up', 'page-down']],
  ['\x1b[H\x1b[F\x1b[1~\x1b[4~', ['home', 'end', 'home', 'end']],
  ['\x1b[1;5C', ['right']],
  ['\r\t\x7f\x03', ['enter', 'tab', 'backspace', 'ctrl-c']],
  ['\x1bx', ['escape', 'x']],
  ['\x1b[200~', []],
  ['\x01', []],
])('%j is %j', (text, keys) => {
  expect(keysIn(text)).toEqual({ keys, rest: '' });
});

test('a sequence in two chunks is one key, a lone Esc is one after a moment', async () => {
  const heard: string[] = [];
  const { read, close } = keyReader((key) => heard.push(key));
  read(Buffer.from('\x1b'));
  read(Buffer.from('[A'));
  expect(heard).toEqual(['up']);
  const letter = Buffer.from('é');
  read(letter.subarray(0, 1));
  read(letter.subarray(1));
  expect(heard).toEqual(['up', 'é']);
  read(Buffer.from('\x1b'));
  expect(heard).toEqual(['up', 'é']);
  await sleep(120);
  expect(heard).toEqual(['up', 'é', 'escape']);
  close();
});
