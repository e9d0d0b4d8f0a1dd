import type { Context } from '../../../cli/command/command.ts';
import { ServiceError } from '../../../client/errors.ts';
import { askLinesWith } from './ask-lines.ts';

/**
 * The answer to a statement. A refusal gets its line of the statement and the name that was meant;
 * `firstLine` is the number of the statement's first line in its file.
 */
export const explained = <T>(
  { call, io }: Pick<Context, 'call' | 'io'>,
  statement: string,
  asked: Promise<T>,
  firstLine = 1,
): Promise<T> =>
  asked.catch(async (error: unknown) => {
    if (error instanceof ServiceError) {
      // Loaded only for a refusal, so that queries start fast
      const { explainRefusal } = await import('./explain-refusal.ts');
      const width = io.stderr.columns || 80;
      await explainRefusal(error, statement, { ask: askLinesWith(call), width, firstLine });
    }
    throw error;
  });
