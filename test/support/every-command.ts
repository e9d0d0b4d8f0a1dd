import { type Command, isCommand } from '../../src/cli/command/command.ts';
import { kebab } from '../../src/cli/process/flags.ts';
import { commands } from '../../src/commands/index.ts';

/** All commands there are, with the words that call them. */
export async function everyCommand(): Promise<{ words: string; command: Command }[]> {
  const nouns = Object.entries(commands).map(async ([noun, { load }]) => {
    const loaded = await load();
    if (isCommand(loaded)) return [{ words: noun, command: loaded }];
    return Object.entries(loaded).map(([verb, command]) => ({
      words: verb === 'itself' ? noun : `${noun} ${kebab(verb)}`,
      command,
    }));
  });
  return (await Promise.all(nouns)).flat();
}
