// Broken rows in words: file, line, column, value and reason.
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { visibleLine } from '../../model/visible-text.ts';
import type { BrokenRow } from './check-rows.ts';
import type { Scan } from './parts.ts';

const mostShown = 100;

/** Throws UsageError when more rows are broken than allowed. */
export function refuseBroken({ broken, brokenCount }: Scan, maxErrors: number | undefined): void {
  const [first] = broken;
  if (!first || brokenCount <= (maxErrors ?? 0)) return;
  if (maxErrors === undefined || maxErrors === 0)
    throw new UsageError(
      `Nothing was sent, because a row is broken: ${describe(first)}`,
      remedies(first),
    );
  throw new UsageError(
    `Nothing was sent, because more than ${maxErrors} rows are broken:\n${listOf(broken, brokenCount)}`,
    remedies(first),
  );
}

/** The warning for broken rows that were left out. */
export const leftOut = ({ broken, brokenCount }: Scan): string =>
  `${brokenCount} ${brokenCount === 1 ? 'row is broken and was' : 'rows are broken and were'} left out:\n${listOf(broken, brokenCount)}`;

/** The error of a failed ingestion, with the row that caused it. */
export const withRow = (error: CommandError, row: BrokenRow): CommandError =>
  new CommandError(
    error.outcome,
    `${error.message}\nFirst broken row: ${describe(row)}`,
    remedies(row),
  );

const describe = ({ path, line, isItem, column, value, reason }: BrokenRow) => {
  const shown = value === undefined ? 'the value' : `[${cutText(visibleLine(value))}]`;
  const place = isItem ? `, item ${line}` : `:${line}`;
  return `${visibleLine(path)}${place}: ${column === undefined ? '' : `column [${visibleLine(column)}]: `}${shown} ${reason}`;
};

function listOf(broken: readonly BrokenRow[], count: number): string {
  const shown = broken.slice(0, mostShown).map((row) => `  ${describe(row)}`);
  const left = count - shown.length;
  return [...shown, ...(left > 0 ? [`  and ${left} more`] : [])].join('\n');
}

const remedies = ({ column, reason }: BrokenRow) =>
  column !== undefined && /integer|number/.test(reason)
    ? `--max-errors N leaves out up to N broken rows; --types ${column}:varchar reads the column as text`
    : '--max-errors N leaves out up to N broken rows';

const cutText = (text: string) => (text.length <= 60 ? text : `${text.slice(0, 59)}…`);
