import type { Completer, Identified } from '../../cli/command/command.ts';
import { listOf, required, text } from '../../contract/schema.ts';
import { statements } from '../../contract/statements.ts';
import { entriesFor } from './ledger.ts';

export const statementId = { queryId: required(text, 'Statement id') };
export const statementIds = { queryIds: required(listOf(text), 'Statement ids') };

export const hints = {
  notFound: 'svcctl statements list shows the statements submitted on this machine',
};

const completeSubmitted: Completer = async ({ resolved, io }) =>
  entriesFor(io.env, resolved.settings.url).map(({ queryId }) => queryId);

/** Statement ids. Other machines may have submitted more. */
export const identified: Identified = {
  what: 'statement',
  exists: ({ call }, queryId) => call(statements.status, { params: { queryId }, query: {} }),
};

export const completers = { queryId: completeSubmitted, queryIds: completeSubmitted };
