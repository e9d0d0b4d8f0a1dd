import { command } from '../../cli/command/command.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { sql } from '../../contract/sql.ts';
import { commandLine } from '../../model/shell-text.ts';
import { waitUntilQueryable } from '../shared/datasources/wait-until-queryable.ts';
import {
  completersOfUnused,
  countOfSegments,
  hints,
  identified,
  selectionArguments,
  selectionOf,
  selectionOptions,
  waitOptions,
} from '../shared/segments/segment-selection.ts';
import { checkAllKnown, countMarked, endpointsOf, mark } from './marking.ts';

export const markUsed = command({
  summary: 'Mark segments as used',
  description: 'Segments that newer segments overshadow stay unused.',
  examples: [
    'svcctl segments mark-used wikipedia --interval 2024-01-01/2024-02-01 --yes',
    'svcctl segments mark-used wikipedia --all --yes',
  ],
  endpoints: [...endpointsOf('used'), metadata.segments, datasources.loadStatus, sql.query],
  arguments: selectionArguments,
  options: { ...selectionOptions, ...waitOptions },
  completers: completersOfUnused,
  ids: { segmentIds: identified },
  hints,
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const { confirm, out, dryRun } = context;
    const { dataSource } = args;
    const selection = selectionOf(args, options);
    await confirm({
      level: 'change',
      what: `Mark as used: ${await countMarked(context, 'used', dataSource, selection)}`,
      name: dataSource,
    });
    const count = await mark(context, 'used', dataSource, selection);
    if (dryRun) return;
    await checkAllKnown(context, dataSource, selection, count);
    out.changed(
      dataSource,
      `${countOfSegments(count)} marked used.`,
      commandLine`svcctl datasources load-status ${dataSource}`,
    );
    if (options.wait) await waitUntilQueryable(context, dataSource, options.maxWait);
  },
});
