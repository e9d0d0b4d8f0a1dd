// The command tree as JSON (--map json), for programs such as editors and assistants.
import { formatJson } from '../../model/json.ts';
import type { Page } from '../command/page.ts';
import { exitCodes, meanings, type Outcome } from '../process/exit-codes.ts';

export function mapOf(version: string, pages: readonly Page[]): string {
  const outcomes = Object.keys(exitCodes) as Outcome[];
  const [{ shared = {} } = {}, ...commands] = pages;
  const map = {
    program: 'svcctl',
    version,
    exitCodes: outcomes.map((outcome) => ({
      code: exitCodes[outcome],
      outcome,
      meaning: meanings[outcome],
    })),
    flags: Object.entries(shared).flatMap(([group, items]) =>
      items.map((item) => ({ group, ...item })),
    ),
    commands: commands.map(
      ({
        words,
        summary,
        description,
        usage,
        arguments: args,
        options,
        examples,
        columns,
        writes,
        shared,
      }) => ({
        name: words.join(' '),
        summary,
        description,
        usage,
        arguments: args,
        options,
        sharedFlags: Object.values(shared).flatMap((items) => items.map(({ name }) => name)),
        examples,
        columns,
        writes,
      }),
    ),
  };
  return `${formatJson(map, '  ')}\n`;
}
