import type { Completer } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { compaction } from '../../contract/compaction.ts';
import { flag, optional, required, text } from '../../contract/schema.ts';

export const dataSource = { dataSource: required(text, 'Name of the datasource') };

export const overlord = {
  overlord: optional(
    flag,
    'Use the Overlord, which schedules compaction in newer releases, instead of the Coordinator',
  ),
};

const completeConfigured: Completer = async ({ call }) =>
  (await call(compaction.list)).compactionConfigs.map(({ dataSource }) => dataSource);

export const anyDatasource = { dataSource: datasourceNames };
export const completers = { dataSource: completeConfigured };
export const hints = {
  notFound:
    'svcctl compaction list shows which datasources are compacted; svcctl compaction set NAME turns it on',
};
