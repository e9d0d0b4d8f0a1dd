// Queries to several services at once with `--profile eu,us`. The rows become one list with a
// column for the profile.

import { quoteWord } from '../../model/shell-text.ts';
import type { Cell, Column, Columns } from '../lists/columns.ts';
import { blocksOf } from '../lists/select.ts';
import type { OpenOutput, Output } from '../output/output.ts';
import { UsageError } from '../process/errors.ts';
import { type ExitCode, exitCodes } from '../process/exit-codes.ts';
import { flagOf } from '../process/flags.ts';
import type { Command } from './command.ts';

export interface ProfileAnswer {
  readonly profile: string;
  readonly ask: (out: Output) => Promise<ExitCode>;
}

interface Answer {
  readonly rows: object[];
  columns: Columns<never>;
  code: ExitCode;
}

/**
 * Throws a usage error for commands that print no rows, that change something, or that query
 * several services themselves.
 */
export function checkAcross(
  { columns, writes = 'none', asksSeveral, obeys }: Command,
  options: object,
  profiles: string,
): void {
  if (asksSeveral !== undefined && asksSeveral in options)
    throw new UsageError(
      `Value [${profiles}] of --profile names several profiles; use ${flagOf(asksSeveral)} to query them together`,
      `name them with --profiles ${quoteWord(profiles)}`,
    );
  if (columns === undefined || writes !== 'none' || (obeys && !obeys.includes('url')))
    throw new UsageError(
      `Value [${profiles}] of --profile names several profiles; only commands that list something accept several`,
      'name one of them',
    );
}

/** The columns of a list over several profiles. */
export const columnsAcross = (columns: Columns<never>): Columns<never> => [
  { name: 'profile', value: ({ profile }: { profile: string }) => profile },
  ...columns,
];

/**
 * Queries all services at once and prints the answers in profile order. The failure of one service
 * is reported and does not stop the others. The exit code is that of the first failure.
 */
export async function acrossProfiles(
  asked: readonly ProfileAnswer[],
  out: OpenOutput,
  report: (error: unknown) => ExitCode,
): Promise<ExitCode> {
  const answers = await Promise.all(
    asked.map(async ({ profile, ask }): Promise<Answer> => {
      const answer: Answer = { rows: [], columns: [], code: exitCodes.done };
      try {
        answer.code = await ask(collecting(profile, answer, out));
      } catch (error) {
        if (error instanceof Error) error.message = `Profile [${profile}]: ${error.message}`;
        answer.code = report(error);
      }
      return answer;
    }),
  );
  const { columns = [] } = answers.find((answer) => answer.columns.length > 0) ?? {};
  const rows = answers.flatMap((answer) => answer.rows);
  const all = out.format === 'name' ? columns : columnsAcross(columns);
  if (columns.length > 0) await out.rows(rows as never[], all);
  return answers.find(({ code }) => code !== exitCodes.done)?.code ?? exitCodes.done;
}

function collecting(profile: string, answer: Answer, out: Output): Output {
  const one = (value: unknown) => {
    const fields = typeof value === 'object' && value !== null ? value : { value };
    answer.columns = Object.keys(fields).map(
      (name): Column<never> => ({
        name,
        value: (row: Readonly<Record<string, Cell>>) => row[name],
      }),
    );
    answer.rows.push({ profile, ...fields });
    return Promise.resolve();
  };
  return {
    ...out,
    looksAtValues: true,
    rows: async (rows, columns) => {
      answer.columns = columns as Columns<never>;
      for await (const block of blocksOf(rows))
        for (const row of block) answer.rows.push({ profile, ...(row as object) });
    },
    value: one,
    document: one,
    text: () =>
      Promise.reject(
        new UsageError(
          'This reply is text and cannot be combined with those of other profiles',
          'name one of them',
        ),
      ),
    note: (sentence, next) => out.note(`${profile}: ${sentence}`, next),
    warn: (sentence) => out.warn(`${profile}: ${sentence}`),
  };
}
