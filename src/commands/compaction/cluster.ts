import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { compaction } from '../../contract/compaction.ts';
import { fileName, optional } from '../../contract/schema.ts';

export const cluster = command({
  summary: 'Show or change the cluster-wide compaction settings',
  description:
    'The file holds the settings to change. Settings that it does not name keep their values.',
  examples: [
    'svcctl compaction cluster',
    `echo '{"compactionPolicy": {"type": "newestSegmentFirst"}}' | svcctl compaction cluster --file -`,
  ],
  endpoints: [compaction.getCluster, compaction.setCluster, compaction.isSupervised],
  options: {
    file: optional(fileName, 'Settings to change, as JSON; - reads stdin'),
    ...optionsFromHeaders(compaction.setCluster),
  },
  shorts: { file: 'f' },
  writes: 'change',
  reads: { file: [], author: [], comment: [] },
  async run({ call, out, io, dryRun }, { options: { file, ...headers } }) {
    if (file !== undefined) {
      await call(compaction.setCluster, {
        body: await readJson(compaction.setCluster.body, file, io),
        headers,
      });
      if (dryRun) return;
      out.changed('compaction', 'The compaction settings are changed.', 'svcctl compaction status');
    }
    const supervised = await call(compaction.isSupervised);
    await out.document({ ...(await call(compaction.getCluster)), useSupervisors: supervised });
  },
});
