// Grid of dots that become letters: eight dots in a Braille letter, or one symbol in a cell.
import { type ChartLook, symbolOf } from './look.ts';

export interface Canvas {
  readonly dotsX: number;
  readonly dotsY: number;
  /** Sets a dot; the top left one is 0, 0. Dots outside are ignored. */
  dot(x: number, y: number, series: number): void;
  line(from: Dot, to: Dot, series: number): void;
  /** The rows of cells, painted. */
  rows(): readonly string[];
}

export type Dot = readonly [x: number, y: number];

/** A canvas of cells. With one series or with colours it has Braille letters, otherwise symbols. */
export function canvasOf(
  width: number,
  height: number,
  look: ChartLook,
  seriesCount: number,
): Canvas {
  const isBraille = look.isUnicode && (seriesCount <= 1 || look.paint !== undefined);
  const [perX, perY] = isBraille ? [2, 4] : [1, 1];
  const masks = new Uint8Array(width * height);
  const owners = new Uint8Array(width * height);
  const dotsX = width * perX;
  const dotsY = height * perY;
  const paint = look.paint;

  function dot(x: number, y: number, series: number) {
    if (!(x >= 0 && x < dotsX && y >= 0 && y < dotsY)) return;
    const cell = Math.floor(y / perY) * width + Math.floor(x / perX);
    masks[cell] = (masks[cell] ?? 0) | (brailleBits[(y % perY) * perX + (x % perX)] ?? 1);
    owners[cell] = series;
  }

  function letterAt(cell: number): string {
    const mask = masks[cell] ?? 0;
    if (mask === 0) return ' ';
    const series = owners[cell] ?? 0;
    const letter = isBraille ? String.fromCharCode(0x2800 + mask) : symbolOf(series, look);
    return paint && seriesCount > 1 ? paint.series(letter, series) : letter;
  }

  return {
    dotsX,
    dotsY,
    dot,
    line([fromX, fromY], [toX, toY], series) {
      const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
      for (let step = 0; step <= steps; step++)
        dot(
          Math.round(fromX + ((toX - fromX) * step) / steps),
          Math.round(fromY + ((toY - fromY) * step) / steps),
          series,
        );
    },
    rows: () =>
      Array.from({ length: height }, (_, row) =>
        Array.from({ length: width }, (_, column) => letterAt(row * width + column)).join(''),
      ),
  };
}

// The bits of Unicode's Braille patterns, by rows of two dots.
const brailleBits = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];
