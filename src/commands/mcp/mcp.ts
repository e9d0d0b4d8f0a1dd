import { command } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { type FlagName, flagEntries } from '../../cli/process/flags.ts';
import { count, flag, optional, seconds, text } from '../../contract/schema.ts';

// The protocol occupies stdin and stdout. Passwords on stdin and traces are for single commands.
const notHere: readonly FlagName[] = ['passwordStdin', 'printCurl', 'verbose'];
const connectionFlags = flagEntries.flatMap(([name, { group }]) =>
  group === 'connection' && !notHere.includes(name) ? [name] : [],
);

export const mcp = command({
  summary: 'Serve the commands to assistants over the Model Context Protocol',
  description:
    'Each reading command is a tool: tasks_list, sql, why_task. With --allow-writes, changing commands are tools, too: without confirm they return a preview, with confirm they make the change, and the tool undo reverts it. The service, the profile and the user are those of this command; tools cannot change them. Interactive and endless commands are left out. "svcctl help mcp" shows the configuration of clients.',
  examples: [
    'svcctl mcp < /dev/null',
    'svcctl mcp --profile local --allow-writes --only tasks,segments,undo < /dev/null',
  ],
  options: {
    allowWrites: optional(flag, 'Offer the commands that change something, with a preview'),
    only: optional(text, 'Only the tools of these nouns, separated by commas'),
    maxBytes: optional(count, 'Maximum size of a result (default 40000)'),
    maxTime: optional(seconds, 'Maximum time of a call in seconds (default 60)'),
  },
  commas: ['only'],
  obeys: connectionFlags,
  endsBySignal: true,
  async run(context, { options: { allowWrites = false, only, maxBytes, maxTime } }) {
    const { toolsOf } = await import('./tools.ts');
    const nouns = only?.split(',').filter((noun) => noun !== '');
    const pages = await context.pages();
    const tools = toolsOf(pages, { allowsWrites: allowWrites, nouns });
    const all = allowWrites ? tools : toolsOf(pages, { allowsWrites: true, nouns });
    const unknown = nouns?.find((noun) => !tools.some(({ page }) => page.words[0] === noun));
    if (unknown !== undefined)
      throw new UsageError(
        `No tool belongs to noun [${unknown}]`,
        allowWrites ? 'svcctl --help lists the nouns' : '--allow-writes offers more tools',
      );
    const { serveTools } = await import('./server.ts');
    context.out.note(
      `${tools.length} tools are served on standard input and output${context.io.stdin.isTTY ? ', for a program: Ctrl-C stops' : ''}.`,
    );
    const withheld = all.filter(({ name }) => !tools.some((tool) => tool.name === name));
    await serveTools(
      context,
      { tools, withheld },
      {
        maxBytes: maxBytes ?? 40_000,
        maxTimeMs: (maxTime ?? 60) * 1000,
      },
    );
  },
});
