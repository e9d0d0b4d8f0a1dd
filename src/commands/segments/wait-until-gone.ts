// Waiting until unused segments are unloaded: servers no longer answer queries with them.
import type { Context } from '../../cli/command/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { commandLine } from '../../model/shell-text.ts';
import { pollMetadata } from '../shared/datasources/poll-metadata.ts';
import { segmentsServed } from '../shared/datasources/wait-until-queryable.ts';
import { mayLeave } from '../shared/waiting/leaving.ts';
import { poll } from '../shared/waiting/poll.ts';

/**
 * Waits until only used segments of a datasource are served; throws after `maxWait` seconds (exit
 * code 7).
 */
export function waitUntilGone(
  context: Context,
  dataSource: string,
  maxWait: number | undefined,
): Promise<void> {
  const waited = {
    goesOn: `The servers of datasource [${dataSource}] continue to drop segments`,
    comeBack: commandLine`svcctl datasources segments ${dataSource} --watch`,
  };
  return mayLeave(context, waited, (signal) =>
    untilGone({ ...context, signal }, dataSource, maxWait),
  );
}

async function untilGone(
  context: Context,
  dataSource: string,
  maxWait: number | undefined,
): Promise<void> {
  const line = context.progress(`Datasource [${dataSource}]`);
  const look = async () => {
    const used = await context.call(metadata.segments, { query: { datasources: [dataSource] } });
    const known = new Set<unknown>(used.map(({ identifier }) => identifier));
    return [...(await segmentsServed(context, dataSource))].filter((id) => !known.has(id)).length;
  };
  const patience = {
    what: `Unused segments of datasource [${dataSource}] are still served`,
    isKnown: true,
    ...(maxWait !== undefined && { maxWait }),
  };
  let most = 0;
  try {
    await pollMetadata(context, dataSource);
    for await (const left of poll(look, context, patience)) {
      most = Math.max(most, left);
      if (left === 0) return line.done(`Datasource [${dataSource}] is served without them`);
      line.update({ stage: `${left} still served`, fraction: (most - left) / most });
    }
  } catch (error) {
    line.failed();
    throw error;
  }
}
