import type { Context } from '../../../cli/command/command.ts';

/**
 * The id of a new task on stdout: alone, so that a script can take it, or as a document where a
 * format is asked for.
 */
export async function printTaskId({ out }: Pick<Context, 'out'>, task: string): Promise<void> {
  await (out.format === undefined || out.format === 'table' ? out.name(task) : out.value({ task }));
}
