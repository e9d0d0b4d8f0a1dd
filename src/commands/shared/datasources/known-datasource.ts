// Check that a datasource exists. A mistyped name looks like a datasource without data, so commands
// run this check for empty answers.
import type { Context } from '../../../cli/command/command.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { broker } from '../../../contract/broker.ts';
import { metadata } from '../../../contract/metadata.ts';
import { rules } from '../../../contract/rules.ts';

/**
 * Throws (exit code 3) when a datasource has no used or unused segments, no queryable data, and no
 * history of rules.
 */
export async function checkKnown(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
): Promise<void> {
  const params = { dataSource };
  const [stored, queryable, own, history] = await Promise.all([
    ifKnown(call(metadata.datasources, { query: { includeUnused: true } })),
    ifKnown(call(broker.datasources)),
    ifKnown(call(rules.get, { params })),
    ifKnown(call(rules.history, { params, query: { count: 1 } })),
  ]);
  // Unknown: access is limited, or the service is older
  if (!stored || !queryable) return;
  const isKnown =
    stored.includes(dataSource) || queryable.includes(dataSource) || own?.length || history?.length;
  if (isKnown) return;
  throw new CommandError(
    'notFound',
    `Datasource [${dataSource}] does not exist: it has no segments, in use or not`,
    'svcctl datasources list shows the served datasources, --unused what is not',
  );
}
