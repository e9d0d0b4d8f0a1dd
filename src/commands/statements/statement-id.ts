import type { Completer } from '../../cli/command/command.ts';
import { listOf, required, text } from '../../contract/schema.ts';
import { entriesFor } from './ledger.ts';

export const statementId = { queryId: required(text, 'Statement id') };
export const statementIds = { queryIds: required(listOf(text), 'Statement ids') };

export const hints = {
  notFound: 'svcctl statements list shows the statements submitted on this machine',
};

const completeSubmitted: Completer = async ({ resolved, io }) =>
  entriesFor(io.env, resolved.settings.url).map(({ queryId }) => queryId);

export const completers = { queryId: completeSubmitted, queryIds: completeSubmitted };
