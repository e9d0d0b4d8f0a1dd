import { command, optionsFromHeaders, optionsFromQuery } from '../../cli/command.ts';
import { compaction } from '../../contract/compaction.ts';

export const slots = command({
  summary: 'Show or set how many task slots compaction may take',
  examples: ['svcctl compaction slots', 'svcctl compaction slots --ratio 0.2 --max 10'],
  endpoints: [compaction.list, compaction.setTaskSlots],
  options: { ...optionsFromQuery(compaction.setTaskSlots), ...optionsFromHeaders(compaction.setTaskSlots) },
  writes: 'change',
  async run({ call, out, dryRun }, { options: { author, comment, ...query } }) {
    if (Object.keys(query).length > 0) {
      const headers = { ...(author !== undefined && { author }), ...(comment !== undefined && { comment }) };
      await call(compaction.setTaskSlots, { query, headers });
      if (dryRun) return;
      out.changed('The task slots of compaction are set.', 'svcctl compaction status');
    }
    const { compactionTaskSlotRatio: ratio, maxCompactionTaskSlots: max, useAutoScaleSlots } = await call(compaction.list);
    await out.value({ ratio, max, ...(useAutoScaleSlots !== undefined && { useAutoScaleSlots }) });
  },
});
