// Errors of the CLI framework and of commands. Their outcome decides the exit code.
import { quoteWord } from '../../model/shell-text.ts';
import type { Outcome } from './exit-codes.ts';

export class CommandError extends Error {
  readonly outcome: Outcome;
  readonly hint: string | undefined;

  constructor(outcome: Outcome, message: string, hint?: string) {
    super(message);
    this.outcome = outcome;
    this.hint = hint;
  }
}

// The line is invalid; no request was sent.
export class UsageError extends CommandError {
  constructor(message: string, hint?: string) {
    super('usage', message, hint);
  }
}

/** The error for an invalid line in a file of svcctl; `meant` describes a valid line. */
export const strangeLine = (file: string, number: number, meant: string) =>
  new UsageError(
    `Line [${number}] of file [${file}] is not a ${meant}`,
    `delete the line: sed -i ${number}d ${quoteWord(file)}`,
  );

/** Ends a dry run at a step that needs a real reply. */
export class DryRunEnds extends Error {}
