// Polling of the metadata store. The Coordinator of the real engine sees changed segments only when
// it polls, usually once a minute. Without a poll, a wait would take the outdated state for its
// end.
import type { Context } from '../../../cli/command/command.ts';
import { Interrupted } from '../../../client/errors.ts';
import { datasources } from '../../../contract/datasources.ts';

/**
 * Makes the Coordinator poll now. A Coordinator that cannot do so keeps its state; other errors
 * also occur in the requests that follow.
 */
export async function pollMetadata(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
): Promise<void> {
  try {
    await call(datasources.loadStatus, {
      params: { dataSource },
      query: { forceMetadataRefresh: true },
    });
  } catch (error) {
    if (error instanceof Interrupted) throw error;
  }
}
