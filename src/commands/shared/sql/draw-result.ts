// Result of a query as a chart, for `sql --chart` and \chart.
import { type Chart, type ChartKind, chartKinds, chartOf } from '../../../cli/chart/chart.ts';
import { drawChart } from '../../../cli/chart/draw.ts';
import { chartLookOn } from '../../../cli/chart/paint.ts';
import { svgOf } from '../../../cli/chart/svg.ts';
import { chartColumns } from '../../../cli/chart/table.ts';
import type { Context } from '../../../cli/command/command.ts';
import type { Sink } from '../../../cli/process/io.ts';
import { rowsOf } from '../../../client/line-formats.ts';
import type { ResultPlan } from './print-result.ts';

export const drawings = ['auto', ...chartKinds, 'svg'] as const;
export type Drawing = (typeof drawings)[number];

interface Place {
  readonly out: Context['out'];
  readonly io: { readonly stdout: Sink; readonly env: NodeJS.ProcessEnv };
  readonly resolved: Context['resolved'];
}

const mostRows = 100_000; // more points than dots on any screen

/**
 * The request for a result, and its drawing. Printing throws UsageError for a result without
 * numbers.
 */
export const planChart = (place: Place, drawing: Drawing): ResultPlan => ({
  ask: { resultFormat: 'arrayLines', header: true, sqlTypesHeader: true },
  async print(chunks) {
    const { names, types, rows, isCut } = await collect(chunks);
    const kind: ChartKind | 'auto' = drawing === 'svg' ? 'auto' : drawing;
    if (rows.length === 0) place.out.note('The result has no rows to draw.');
    if (rows.length > 0 || drawing === 'svg') {
      const columns = chartColumns(names, types, rows);
      const chart = chartOf(columns, kind);
      const picture = await drawn(chart, drawing, place);
      await place.out.text([picture], { live: fits(picture, place.io.stdout) });
    }
    if (isCut) place.out.warn(`Only the first ${mostRows} rows are drawn`);
    return rows.length;
  },
});

// A pager is of use only for a drawing that is higher than the screen.
const fits = (picture: string, { rows = 24 }: Sink) => picture.split('\n').length <= rows;

async function drawn(chart: Chart, drawing: Drawing, { io, resolved }: Place): Promise<string> {
  if (drawing === 'svg') return svgOf(chart);
  const look = await chartLookOn(io.stdout, resolved, io.env);
  return `${drawChart(chart, look).join('\n')}\n`;
}

// The first rows are the names and the SQL types.
async function collect(chunks: AsyncIterable<Uint8Array>) {
  const found: (readonly unknown[])[] = [];
  let isCut = false;
  for await (const batch of rowsOf(chunks, 'arrayLines')) {
    for (const row of batch as readonly (readonly unknown[])[]) found.push(row);
    isCut = found.length > mostRows + 2;
    if (isCut) break;
  }
  const [names = [], types = [], ...rows] = found.slice(0, mostRows + 2);
  return { names: names.map(String), types: types.map(String), rows, isCut };
}
