// Endpoints of commands: the declaration of a command lists every endpoint that its file calls.
// Endpoints that a shared file calls are listed by at least one command.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Command, isCommand } from '../../src/cli/command/command.ts';
import { namesOf } from '../../src/contract/index.ts';

const files = await Promise.all(
  readdirSync('src/commands', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('index.ts'))
    .map(async (file) => {
      const calls = [
        ...readFileSync(`src/commands/${file}`, 'utf8').matchAll(/\bcall\((\w+)\.(\w+)/g),
      ];
      const loaded: Record<string, unknown> = await import(
        /* @vite-ignore */ resolve('src/commands', file)
      );
      const commands = Object.values(loaded).filter(
        (value): value is Command =>
          typeof value === 'object' && value !== null && isCommand(value as Command),
      );
      return {
        file,
        called: [...new Set(calls.map(([, area, name]) => `${area}.${name}`))],
        declared: commands.flatMap(({ endpoints = [] }) =>
          endpoints.map((endpoint) => namesOf.get(endpoint)),
        ),
        isShared: commands.length === 0,
      };
    }),
);
const declaredAnywhere = files.flatMap(({ declared }) => declared);

test.each(files)(
  'src/commands/$file: the endpoints it calls are declared',
  ({ called, declared, isShared }) => {
    expect(isShared ? declaredAnywhere : declared).toEqual(expect.arrayContaining(called));
  },
);
