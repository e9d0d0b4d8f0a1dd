import type { Context } from '../../cli/command/command.ts';

/**
 * The id of a new statement on stdout: alone, so that a script can take it, or as a document where
 * a format is asked for.
 */
export async function printStatementId(
  { out }: Pick<Context, 'out'>,
  queryId: string,
): Promise<void> {
  await (out.format === undefined || out.format === 'table'
    ? out.name(queryId)
    : out.value({ queryId }));
}
