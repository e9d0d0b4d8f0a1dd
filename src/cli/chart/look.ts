// Room, letters and colours for a drawing.

export interface ChartLook {
  readonly width: number;
  readonly height: number; // of the area within the axes
  readonly isUnicode: boolean; // false: ASCII only
  readonly paint?: ChartPaint; // without colours, series have symbols of their own
}

export interface ChartPaint {
  /** Text in the colour of a series. */
  series(text: string, at: number): string;
  /** Text in a colour from cold to hot, for a share from 0 to 1. */
  heat(text: string, share: number): string;
}

export interface Frame {
  readonly vertical: string;
  readonly horizontal: string;
  readonly corner: string;
  readonly tickY: string;
  readonly tickX: string;
}

export const frameOf = ({ isUnicode }: Pick<ChartLook, 'isUnicode'>): Frame =>
  isUnicode
    ? { vertical: '│', horizontal: '─', corner: '└', tickY: '┤', tickX: '┬' }
    : { vertical: '|', horizontal: '-', corner: '+', tickY: '+', tickX: '+' };

const symbols = { unicode: '●◆▲■○◇△□', ascii: '*o+x#@%&' };

/** The symbol of a series, one cell wide. */
export function symbolOf(at: number, { isUnicode }: Pick<ChartLook, 'isUnicode'>): string {
  const all = isUnicode ? symbols.unicode : symbols.ascii;
  return all[at % all.length] ?? '*';
}
