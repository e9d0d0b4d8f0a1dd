// Error for datasources without a compaction status. The Coordinator computes the status in its
// next run, up to half an hour after the configuration.
import type { Context } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { compaction } from '../../contract/compaction.ts';

/**
 * Replaces the error for an unknown datasource by the actual cause; throws any other error
 * unchanged.
 */
export async function explainUnknown(
  { call }: Context,
  dataSource: string,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ServiceError) || error.status !== 404 || error.isLacking) throw error;
  const { compactionConfigs } = await call(compaction.list);
  throw compactionConfigs.some((configured) => configured.dataSource === dataSource)
    ? new CommandError(
        'pending',
        `The Coordinator has not yet searched for compaction work in datasource [${dataSource}]`,
        'svcctl compaction run starts a search now',
      )
    : new CommandError('notFound', `Datasource [${dataSource}] is not compacted automatically`);
}
