import { command, optionsFromHeaders, optionsFromQuery } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { compaction } from '../../contract/compaction.ts';

export const slots = command({
  summary: 'Show or change the number of task slots for compaction',
  examples: ['svcctl compaction slots', 'svcctl compaction slots --ratio 0.2 --max 10'],
  endpoints: [compaction.list, compaction.setTaskSlots],
  options: {
    ...optionsFromQuery(compaction.setTaskSlots),
    ...optionsFromHeaders(compaction.setTaskSlots),
  },
  writes: 'change',
  reads: { ratio: [], max: [], useAutoScaleSlots: [], author: [], comment: [] },
  async run({ call, out, dryRun }, { options: { author, comment, ...query } }) {
    const { ratio: share = 0 } = query;
    if (!(share >= 0 && share <= 1))
      throw new UsageError(
        `Value [${share}] of --ratio is not a share of the slots`,
        'from 0 to 1, as in --ratio 0.2',
      );
    if (Object.keys(query).length > 0) {
      const headers = {
        ...(author !== undefined && { author }),
        ...(comment !== undefined && { comment }),
      };
      await call(compaction.setTaskSlots, { query, headers });
      if (dryRun) return;
      out.changed(
        'compaction',
        'The number of task slots for compaction is set.',
        'svcctl compaction status',
      );
    }
    const {
      compactionTaskSlotRatio: ratio,
      maxCompactionTaskSlots: max,
      useAutoScaleSlots,
    } = await call(compaction.list);
    await out.value({ ratio, max, ...(useAutoScaleSlots !== undefined && { useAutoScaleSlots }) });
  },
});
