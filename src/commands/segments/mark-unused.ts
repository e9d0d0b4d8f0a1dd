import { command } from '../../cli/command/command.ts';
import { datasources } from '../../contract/datasources.ts';
import { sql } from '../../contract/sql.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  countOfSegments,
  hints,
  identified,
  selectionArguments,
  selectionOf,
  selectionOptions,
  waitOptions,
} from '../shared/segments/segment-selection.ts';

import { checkAllKnown, countMarked, endpointsOf, mark } from './marking.ts';
import { waitUntilGone } from './wait-until-gone.ts';

export const markUnused = command({
  summary: 'Mark segments as unused; their data is kept',
  examples: [
    'svcctl segments mark-unused wikipedia --interval 2015-01-01/2016-01-01 --yes',
    'svcctl segments mark-unused wikipedia --all --yes',
  ],
  endpoints: [...endpointsOf('unused'), datasources.loadStatus, sql.query],
  arguments: selectionArguments,
  options: { ...selectionOptions, ...waitOptions },
  completers,
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
      what: `Mark as unused: ${await countMarked(context, 'unused', dataSource, selection)}`,
      name: dataSource,
    });
    const count = await mark(context, 'unused', dataSource, selection);
    if (dryRun) return;
    await checkAllKnown(context, dataSource, selection, count);
    out.changed(
      dataSource,
      `${countOfSegments(count)} marked unused.`,
      commandLine`svcctl segments list --datasource ${dataSource} --unused`,
    );
    if (options.wait) await waitUntilGone(context, dataSource, options.maxWait);
  },
});
