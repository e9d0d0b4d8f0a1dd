// Live report of a running task: its stages with a bar each, painted on stderr instead of a
// progress line.

import type { Context } from '../../cli/command/command.ts';
import { fitProgress } from '../../cli/output/fit-progress.ts';
import { painterOn } from '../../cli/output/painter.ts';
import { markSentence } from '../../cli/output/progress.ts';
import { ProgressMeter } from '../../cli/output/progress-meter.ts';
import { type ProgressState, partsOf } from '../../cli/output/progress-state.ts';
import { liveLinesOn } from '../../cli/terminal/live-lines.ts';
import { marksFor } from '../../cli/terminal/marks.ts';
import { uptimeMs } from '../../client/uptime.ts';
import type { TaskReports } from '../../contract/tasks.ts';
import { visibleLine } from '../../model/visible-text.ts';
import { phaseColumns, phasesIn } from '../shared/tasks/report-phases.ts';
import { stageColumns, stagesIn } from '../shared/tasks/report-stages.ts';
import type { TaskProgress } from '../shared/tasks/wait-for-task.ts';

/** Shows a task's progress on a terminal that can repaint. */
export async function liveReport({
  io,
  resolved,
}: Pick<Context, 'io' | 'resolved'>): Promise<(label: string) => TaskProgress> {
  const { stderr, env } = io;
  const [{ tableWriter }, { writeSmall }] = await Promise.all([
    import('../../cli/output/table.ts'),
    import('../../cli/output/small-table.ts'),
  ]);
  const painter = await painterOn(stderr, resolved, env);
  const marks = marksFor(env);

  return (label) => {
    const live = liveLinesOn(stderr);
    const meter = new ProgressMeter(label, uptimeMs);
    const end = (mark: string, how: string) => (sentence?: string) => {
      live.clear();
      if (sentence) stderr.write(markSentence(sentence, { mark, how, stderr, painter }));
    };
    return {
      update(state: ProgressState, reports: TaskReports | undefined) {
        const width = live.columns;
        const look = {
          paintState: painter.state,
          header: true,
          width,
          cut: marks.cut,
          now: Date.now(),
          mayGiveWay: true,
        };
        const { multiStageQuery, ingestionStatsAndErrors } = reports ?? {};
        const table = multiStageQuery
          ? tableWriter(columnsToShow(stageColumns), look, writeSmall).write(
              stagesIn(multiStageQuery),
            )
          : ingestionStatsAndErrors
            ? tableWriter(phaseColumns, look, writeSmall).write(phasesIn(ingestionStatsAndErrors))
            : '';
        meter.update(state);
        const reading = meter.read();
        const head = fitProgress(visibleLine(reading.what), undefined, {
          said: partsOf(reading),
          width,
          marks,
        });
        live.paint([head, ...table.split('\n').slice(0, -1)]);
      },
      done: end(marks.ok, 'ok'),
      failed: end(marks.critical, 'critical'),
    };
  };
}

const columnsToShow = <C extends { readonly wide?: true }>(columns: readonly C[]) =>
  columns.filter(({ wide }) => !wide);
