import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pages } from '../../src/docs/index.ts';

test.each(Object.entries(pages))('%s is current: npm run docs writes it', async (path, make) => {
  expect(await make()).toBe(readFileSync(path, 'utf8'));
});
