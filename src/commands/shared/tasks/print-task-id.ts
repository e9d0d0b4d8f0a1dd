import type { Context } from '../../../cli/command/command.ts';

/** Prints the id of a new task: alone, for scripts, or as a document when a format is requested. */
export async function printTaskId({ out }: Pick<Context, 'out'>, task: string): Promise<void> {
  await (out.format === undefined || out.format === 'table' ? out.name(task) : out.value({ task }));
}
