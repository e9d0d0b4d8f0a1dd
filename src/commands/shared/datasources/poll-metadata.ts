// The Coordinator of the real engine learns of changed segments when it polls the metadata store,
// usually once a minute. Whoever waits for a change of their own would take what it knew before for
// the end of the wait.
import type { Context } from '../../../cli/command/command.ts';
import { Interrupted } from '../../../client/errors.ts';
import { datasources } from '../../../contract/datasources.ts';

/**
 * Lets the Coordinator poll now. One that does not do it knows what it knows; other troubles of the
 * service are met by the looks that follow, too.
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
