// The reference of commands, docs/commands.md.
import type { Page } from '../cli/command/page.ts';

const introduction = `# Commands

This page is generated from the declarations of the commands (\`npm run docs\`). \`svcctl help COMMAND\` and
\`man svcctl-COMMAND\` show their arguments, flags, examples and exit codes.
`;

/** The page with a table of all commands; `pages` is the command tree. */
export function commandsPage(pages: readonly Page[]): string {
  const rows = pages
    .filter(({ words }) => words.length > 0)
    .map(({ words, summary, commands }) => {
      const isNoun = commands.length > 0;
      return isNoun
        ? `| **${words.join(' ')}** | ${summary} |`
        : `| \`svcctl ${words.join(' ')}\` | ${summary} |`;
    });
  return `${introduction}\n${['| Command | |', '| --- | --- |', ...rows].join('\n')}\n`;
}
