import { expect, test } from 'vitest';
import { firstTogether } from '../../src/cli/output/first-together.ts';

const all = async <T>(blocks: AsyncIterable<T>) => {
  const seen: T[] = [];
  for await (const block of blocks) seen.push(block);
  return seen;
};

test('rows that come one after the other are one block, so that a table is as wide as its longest name', async () => {
  async function* blocks() {
    yield ['short'];
    yield ['a much longer name'];
  }
  expect(await all(firstTogether(blocks()))).toEqual([['short', 'a much longer name']]);
});

test('what has come is shown before what has not, however long that takes', async () => {
  let release = () => {};
  const later = new Promise<void>((settle) => {
    release = settle;
  });
  async function* blocks() {
    yield ['first'];
    await later;
    yield ['second'];
  }
  const iterator = firstTogether(blocks())[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toEqual(['first']);
  release();
  expect((await iterator.next()).value).toEqual(['second']);
  expect((await iterator.next()).done).toBe(true);
});

test('whoever stops reading ends the source; nothing at all is nothing', async () => {
  let isEnded = false;
  async function* blocks() {
    try {
      for (;;) yield Array.from({ length: 60 }, () => 'row');
    } finally {
      isEnded = true;
    }
  }
  for await (const block of firstTogether(blocks())) {
    expect(block).toHaveLength(120);
    break;
  }
  expect(isEnded).toBe(true);
  async function* nothing(): AsyncIterable<string[]> {}
  expect(await all(firstTogether(nothing()))).toEqual([]);
});
