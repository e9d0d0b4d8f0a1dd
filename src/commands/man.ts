import { command } from '../cli/command/command.ts';
import { wholeHelpOf } from '../cli/help/help.ts';
import { UsageError } from '../cli/process/errors.ts';
import { marksFor } from '../cli/terminal/marks.ts';
import { listOf, optional, text } from '../contract/schema.ts';

export const man = command({
  summary: 'Print the manual or the page of one command',
  examples: ['svcctl man', 'svcctl man tasks list'],
  arguments: { words: optional(listOf(text), 'Words of the command') },
  obeys: ['noPager'],
  async run({ out, pages, io }, { args: { words = [] } }) {
    const all = await pages();
    const name = words.join(' ');
    const wanted = name === '' ? all : all.filter((page) => page.words.join(' ') === name);
    if (wanted.length === 0)
      throw new UsageError(`Command [${name}] does not exist`, 'svcctl help lists them');
    const width = Math.min(io.stdout.columns || 80, 100);
    await out.text(
      wanted.map(
        (page, at) =>
          `${at > 0 ? `\n${marksFor(io.env).rule.repeat(width)}\n\n` : ''}svcctl ${page.words.join(' ')}\n\n${wholeHelpOf(page, width)}`,
      ),
    );
  },
});
