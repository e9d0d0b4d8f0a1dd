// A command says which endpoints it calls: what its file uses of the contract.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Command, isCommand } from '../../src/cli/command.ts';
import { namesOf } from '../../src/contract/index.ts';

const files = readdirSync('src/commands', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

test.each(files)('src/commands/%s declares the endpoints it calls', async (file) => {
  const text = readFileSync(`src/commands/${file}`, 'utf8');
  const called = [...text.matchAll(/\bcall\((\w+)\.(\w+)/g)].map(([, area, name]) => `${area}.${name}`);
  const loaded: Record<string, unknown> = await import(/* @vite-ignore */ resolve('src/commands', file));
  const declared = Object.values(loaded)
    .filter((value): value is Command => typeof value === 'object' && value !== null && isCommand(value as Command))
    .flatMap(({ endpoints = [] }) => endpoints.map((endpoint) => namesOf.get(endpoint)));
  if (!file.endsWith('index.ts')) expect(declared).toEqual(expect.arrayContaining([...new Set(called)]));
});
