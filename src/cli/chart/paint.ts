// Look of charts on a stream: its width, letters and colours.
import { isColored } from '../output/color.ts';
import type { Sink } from '../process/io.ts';
import { hasUnicode } from '../terminal/marks.ts';
import type { ChartLook, ChartPaint } from './look.ts';

/** Width and height of the terminal, 80 columns elsewhere. */
export async function chartLookOn(
  stdout: Pick<Sink, 'columns' | 'isTTY' | 'rows'>,
  resolved: Parameters<typeof isColored>[0],
  env: NodeJS.ProcessEnv,
): Promise<ChartLook> {
  const isTerminal = Boolean(stdout.isTTY);
  const width = (isTerminal && stdout.columns) || 80;
  const height = isTerminal ? (stdout.rows ?? 24) - 8 : 14;
  const isTinted = isColored(resolved, env, { isTTY: isTerminal });
  return {
    width: Math.max(20, width),
    height: Math.max(5, Math.min(24, height)),
    isUnicode: hasUnicode(env),
    ...(isTinted && { paint: await chartPaint() }),
  };
}

async function chartPaint(): Promise<ChartPaint> {
  const { paintHeat, paintSeries } = await import('../terminal/style.ts');
  return { series: paintSeries, heat: paintHeat };
}
