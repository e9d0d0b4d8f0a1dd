// Conversion of errors to messages and exit codes, the only place that does so.
import { BadSettings, ServiceError, UnexpectedReply, Unreachable } from '../../client/errors.ts';
import { formatJson } from '../../model/json.ts';
import { withoutStackTrace } from '../../model/stack-trace.ts';
import { CommandError } from '../process/errors.ts';
import { type ExitCode, exitCodes, type Outcome } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { isNoStatement, isUnknownName, isUnknownTable, outcomeOf } from '../process/outcome.ts';
import { sentencesOn } from '../terminal/wrapped.ts';
import { type Painter, plainPainter } from './painter.ts';

/**
 * Hints by outcome. `lacking`: the service lacks the endpoint; `unknownName`: the service reports
 * an unknown name in its message; `noStatement`: the text is not SQL.
 */
export type Hints = {
  readonly [outcome in Outcome | 'lacking' | 'unknownName' | 'noStatement']?: string;
};

export interface ErrorStyle {
  readonly errorFormat?: string;
  readonly debug?: boolean;
  readonly near?: string | undefined; // suggestion for an unknown name
  readonly painter?: Painter;
}

export function reportError(
  error: unknown,
  hints: Hints,
  { stderr }: Pick<Io, 'stderr'>,
  { errorFormat, debug, near, painter = plainPainter }: ErrorStyle,
): ExitCode {
  const outcome = outcomeOf(error);
  const exitCode = exitCodes[outcome];
  const message =
    withoutStackTrace(error instanceof Error ? error.message : String(error)).trim() ||
    'The command failed without a reason';
  const isLacking = error instanceof ServiceError && error.isLacking;
  const kind = isLacking ? 'lacking' : (kindInWords(error) ?? outcome);
  const help = error instanceof ServiceError ? error.statement : undefined;
  const hint =
    help?.hint ??
    (near === undefined ? undefined : `did you mean ${near}?`) ??
    (error instanceof CommandError ? error.hint : undefined) ??
    hints[kind] ??
    hintOf(error) ??
    (error instanceof ServiceError && outcome === 'unreachable'
      ? tooLongHint(error)
      : defaultHints[outcome]);
  const stack = debug && error instanceof Error ? error.stack : undefined;
  if (errorFormat === 'json') {
    const status = error instanceof ServiceError ? error.status : undefined;
    stderr.write(`${formatJson({ error: message, outcome, exitCode, status, hint, stack })}\n`);
  } else {
    const excerpt = help?.excerpt ?? '';
    const said = [`error: ${message}`, hint ? `hint: ${hint}` : undefined];
    const [sentence, remedy] = said.map((one) => sentencesOn(stderr, [one], painter.label));
    stderr.write(`${sentence}${excerpt}${remedy}${sentencesOn({}, [stack])}`);
  }
  return exitCode;
}

function kindInWords(error: unknown): keyof Hints | undefined {
  if (isUnknownName(error) || isUnknownTable(error)) return 'unknownName';
  return isNoStatement(error) ? 'noStatement' : undefined;
}

const hintOf = (error: unknown) =>
  [CommandError, ServiceError, UnexpectedReply, Unreachable, BadSettings].some(
    (kind) => error instanceof kind,
  )
    ? (error as { hint?: string }).hint
    : undefined;

const tooLongHint = ({ queryId }: ServiceError) =>
  queryId === undefined
    ? 'svcctl status health checks whether the service answers'
    : '--context timeout=MILLISECONDS raises the limit of a query; svcctl statements submit runs long queries in the background';

const defaultHints: Hints = {
  unreachable: 'start a service with svcctl serve, or set another address with --url',
  denied: 'svcctl login stores a password; svcctl profiles show shows the user',
};
