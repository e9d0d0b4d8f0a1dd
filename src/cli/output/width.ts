// The door to fast-string-width: how many cells of a terminal a text takes, East Asian letters, emoji and combining marks included.
import widthOf from 'fast-string-width';

export { widthOf };

/** The text if it fits, otherwise as much of its beginning as fits, and a sign of one cell for the rest. */
export function cut(text: string, width: number, sign = '…'): string {
  if (text.length <= width && /^[\x20-\x7e]*$/.test(text)) return text;
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}${sign}`;
}

export const padStart = (text: string, width: number) => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

export const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)));
