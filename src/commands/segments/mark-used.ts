import { command } from '../../cli/command.ts';
import { segments } from '../../contract/segments.ts';
import {
  changedIn,
  completers,
  countedSegments,
  hints,
  selectionArguments,
  selectionInWords,
  selectionOf,
  selectionOptions,
} from './segment-selection.ts';

export const markUsed = command({
  summary: 'Use segments again: load rules apply to them',
  description: 'What newer segments replace stays unused.',
  examples: [
    'svcctl segments mark-used wikipedia --interval 2024-01-01/2024-02-01 --yes',
    'svcctl segments mark-used wikipedia --all --yes',
  ],
  endpoints: [segments.markUsed, segments.markSomeUsed, segments.markAllUsed],
  arguments: selectionArguments,
  options: selectionOptions,
  completers,
  hints,
  writes: 'change',
  async run({ call, confirm, out, dryRun }, { args, options }) {
    const { dataSource } = args;
    const selection = selectionOf(args, options);
    await confirm({ level: 'change', what: `Use ${selectionInWords(dataSource, selection)} again`, name: dataSource });
    const answer =
      'id' in selection
        ? await call(segments.markUsed, { params: { dataSource, segmentId: selection.id } })
        : 'all' in selection
          ? await call(segments.markAllUsed, { params: { dataSource } })
          : await call(segments.markSomeUsed, { params: { dataSource }, body: selection.filter });
    if (dryRun) return;
    out.changed(`${countedSegments(changedIn(answer))} used again.`, `svcctl datasources load-status ${dataSource}`);
  },
});
