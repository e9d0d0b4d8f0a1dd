// Charts as text for terminals, pipes and files.
import { cut } from '../terminal/width.ts';
import { drawBars, drawHistogram } from './bars.ts';
import type { Chart } from './chart.ts';
import { drawHeat } from './heat.ts';
import { drawLines } from './line.ts';
import type { ChartLook } from './look.ts';

/** The lines of a chart, none wider than the room. */
export const drawChart = (chart: Chart, look: ChartLook): readonly string[] =>
  linesOf(chart, look).map((line) =>
    // Painted lines fit by their construction.
    line.includes('\x1b') ? line : cut(line, look.width, look.isUnicode ? '…' : '~'),
  );

function linesOf(chart: Chart, look: ChartLook): readonly string[] {
  switch (chart.kind) {
    case 'line':
      return drawLines(chart, look);
    case 'bar':
      return drawBars(chart, look);
    case 'histogram':
      return drawHistogram(chart, look);
    case 'heatmap':
      return drawHeat(chart, look);
  }
}
