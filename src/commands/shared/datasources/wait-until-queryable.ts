// Waiting until data is queryable. A successful task has published its segments, but queries see
// them only after servers have loaded them.
import type { Context } from '../../../cli/command/command.ts';
import { rowsOf } from '../../../client/line-formats.ts';
import { metadata } from '../../../contract/metadata.ts';
import { sql } from '../../../contract/sql.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { type Leaving, mayLeave } from '../waiting/leaving.ts';
import { poll } from '../waiting/poll.ts';
import { pollMetadata } from './poll-metadata.ts';

type Waiting = Leaving & Pick<Context, 'out' | 'progress'>;

const query = 'SELECT segment_id FROM sys.segments WHERE is_available = 1 AND datasource = ?';

/**
 * Waits until queries see all segments of a datasource that should be loaded; throws after
 * `maxWait` seconds (exit code 7).
 */
export function waitUntilQueryable(
  context: Waiting,
  dataSource: string,
  maxWait?: number,
): Promise<void> {
  const waited = {
    goesOn: `The servers of datasource [${dataSource}] continue to load segments`,
    comeBack: commandLine`svcctl datasources load-status ${dataSource} --watch`,
  };
  return mayLeave(context, waited, (signal) =>
    untilQueryable({ ...context, signal }, dataSource, maxWait),
  );
}

/** As `waitUntilQueryable`, but Ctrl-C is left to the caller. */
export async function untilQueryable(
  context: Pick<Context, 'call' | 'out' | 'progress' | 'signal'>,
  dataSource: string,
  maxWait?: number,
): Promise<void> {
  const { call, progress } = context;
  const line = progress(`Datasource [${dataSource}]`);
  const look = async () => {
    const published = await call(metadata.segments, {
      query: { datasources: [dataSource], includeOvershadowedStatus: true },
    });
    const wanted = published.filter(
      ({ overshadowed, replicationFactor, shardSpec }) =>
        !overshadowed && replicationFactor !== 0 && shardSpec?.type !== 'tombstone',
    );
    const served = await segmentsServed(context, dataSource);
    return {
      all: wanted.length,
      loaded: wanted.filter(({ identifier }) => served.has(identifier)).length,
    };
  };
  const what = `Not all segments of datasource [${dataSource}] are loaded`;
  try {
    await pollMetadata(context, dataSource);
    for await (const { all, loaded } of poll(look, context, {
      what,
      isKnown: true,
      ...(maxWait !== undefined && { maxWait }),
    })) {
      if (loaded < all)
        line.update({ stage: `${loaded} of ${all} segments loaded`, fraction: loaded / all });
      else
        return line.done(
          `Datasource [${dataSource}] answers queries: ${all} ${all === 1 ? 'segment' : 'segments'} loaded`,
        );
    }
  } catch (error) {
    line.failed();
    throw error;
  }
}

/** The ids of the queryable segments of a datasource. */
export async function segmentsServed(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
): Promise<ReadonlySet<unknown>> {
  const parameters = [{ type: 'VARCHAR', value: dataSource }];
  const ids = new Set<unknown>();
  const reply = await call(sql.query, { body: { query, parameters, resultFormat: 'arrayLines' } });
  for await (const rows of rowsOf(reply, 'arrayLines'))
    for (const row of rows as readonly [unknown][]) ids.add(row[0]);
  return ids;
}
