// Errors of the frame and of commands. Their outcome decides the exit code.
import { quotedWord } from '../../model/shell-text.ts';
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

// The user asked for something that cannot be; nothing was sent.
export class UsageError extends CommandError {
  constructor(message: string, hint?: string) {
    super('usage', message, hint);
  }
}

/** A line of a file that svcctl keeps is not what it should be; `meant` says what. */
export const strangeLine = (file: string, number: number, meant: string) =>
  new UsageError(
    `Line [${number}] of file [${file}] is not a ${meant}`,
    `take the line out: sed -i ${number}d ${quotedWord(file)}`,
  );

/** Ends a dry run where a reply would be needed that nobody gave. */
export class DryRunEnds extends Error {}
