import type { Context } from '../../cli/command/command.ts';

/**
 * Prints the id of a new statement: alone, for scripts, or as a document when a format is
 * requested.
 */
export async function printStatementId(
  { out }: Pick<Context, 'out'>,
  queryId: string,
): Promise<void> {
  await (out.format === undefined || out.format === 'table'
    ? out.name(queryId)
    : out.value({ queryId }));
}
