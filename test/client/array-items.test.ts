import { expect, test } from 'vitest';
import { itemsOf } from '../../src/client/array-items.ts';
import { CutOff } from '../../src/client/errors.ts';

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function itemsIn(text: string, size: number): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const batch of itemsOf(inPieces(text, size))) items.push(...batch);
  return items;
}

const texts = [
  '[]',
  ' [ 1 , "a,]\\"[" , {"b":[1,{"c":"}"}]} , [[],[2]] , null ]\n',
  '[9007199254740993,"東京"]',
  '[{"a":{"b":[]}},{}]',
];
const misleading = [
  '[{"a":[{},{}]},{"b":"},{"},{"c":"\\"},{\\\\"},{}]',
  '[[{},{}],[{"a":1},{"b":[{},{}]}],{},{}] ',
];

test('items of a list, wherever the pieces are cut', async () => {
  for (const text of [...texts, ...misleading]) {
    const whole = await itemsIn(text, 1000);
    for (let size = 1; size < text.length; size++)
      expect(await itemsIn(text, size), `${text} by ${size}`).toEqual(whole);
  }
  for (const text of misleading) expect(await itemsIn(text, 1000)).toEqual(JSON.parse(text));
  expect(await itemsIn(texts[1] ?? '', 3)).toEqual([
    1,
    'a,]"[',
    { b: [1, { c: '}' }] },
    [[], [2]],
    null,
  ]);
  expect(await itemsIn(texts[2] ?? '', 2)).toEqual([9007199254740993n, '東京']);
});

test.each(['[1,2', '[{"a":1}', '', '[{"a":[1]'])(
  'a list that breaks off is told apart: %s',
  async (text) => {
    await expect(itemsIn(text, 2)).rejects.toThrow(CutOff);
  },
);
