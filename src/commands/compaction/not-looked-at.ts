// A Coordinator knows how far compaction of a datasource is once it has looked at it, which may be
// half an hour after it was told to compact it.
import type { Context } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { compaction } from '../../contract/compaction.ts';

/**
 * Throws instead of a refusal that says a datasource is unknown what is the matter with it; any
 * other error as it is.
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
        `The Coordinator has not looked yet at what there is to compact of datasource [${dataSource}]`,
        'svcctl compaction run makes it look now',
      )
    : new CommandError('notFound', `Datasource [${dataSource}] is not compacted automatically`);
}
