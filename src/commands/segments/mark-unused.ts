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

export const markUnused = command({
  summary: 'Take segments out of use: queries no longer see them, their data stays',
  examples: [
    'svcctl segments mark-unused wikipedia --interval 2015-01-01/2016-01-01 --yes',
    'svcctl segments mark-unused wikipedia --all --yes',
  ],
  endpoints: [segments.markUnused, segments.markSomeUnused, segments.markAllUnused],
  arguments: selectionArguments,
  options: selectionOptions,
  completers,
  hints,
  writes: 'change',
  async run({ call, confirm, out, dryRun }, { args, options }) {
    const { dataSource } = args;
    const selection = selectionOf(args, options);
    await confirm({ level: 'change', what: `Take ${selectionInWords(dataSource, selection)} out of use`, name: dataSource });
    const answer =
      'id' in selection
        ? await call(segments.markUnused, { params: { dataSource, segmentId: selection.id } })
        : 'all' in selection
          ? await call(segments.markAllUnused, { params: { dataSource } })
          : await call(segments.markSomeUnused, { params: { dataSource }, body: selection.filter });
    if (dryRun) return;
    out.changed(`${countedSegments(changedIn(answer))} out of use.`, `svcctl segments list --datasource ${dataSource} --unused`);
  },
});
