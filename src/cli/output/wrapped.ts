// Sentences in lines that are broken between words.
import { beginningOf, cellsOf } from './width.ts';

/**
 * The text in lines of at most so many cells. A word that is longer than a line is broken, too, or left to the terminal, which breaks it but
 * copies it whole.
 */
export const wrapped = (text: string, width: number, overlong: 'broken' | 'left' = 'broken'): string =>
  text
    .split('\n')
    .map((line) => (cellsOf(line) <= width ? line : filled(line, Math.max(1, width), overlong)))
    .join('\n');

function filled(text: string, width: number, overlong: 'broken' | 'left'): string {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  let used = line.length;
  let isBegun = false;
  const end = () => {
    lines.push(line);
    line = '';
    used = 0;
    isBegun = false;
  };
  for (const word of text.slice(used).split(' ')) {
    const length = cellsOf(word);
    // One that needs several lines anyway begins where there is room.
    if (isBegun && used + 1 + length > width && (length <= width || used + 1 >= width)) end();
    let rest = isBegun ? ` ${word}` : word;
    while (overlong === 'broken' && used + cellsOf(rest) > width) {
      const head = beginningOf(rest, width - used);
      line += head;
      rest = rest.slice(head.length);
      end();
    }
    line += rest;
    used += cellsOf(rest);
    if (used > width) used = ((used - 1) % width) + 1; // the terminal has broken it
    isBegun = true;
  }
  return [...lines, line].join('\n');
}

/**
 * A sentence to people as it stands on their terminal, the beginning of each of its own lines painted: a word that begins a line only because the
 * one before was full is none. A line with a command is left whole, so that it can be copied: the terminal breaks it.
 */
export function sentenceOn(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  sentence: string,
  painted: (line: string) => string = (line) => line,
): string {
  const safe = sentence.replace(controls, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const isWhole = (line: string) => !isTTY || /^(hint|next|wait again|stop it): .*\bsvcctl\b/.test(line);
  return safe
    .split('\n')
    .map((line) => painted(isWhole(line) ? line : wrapped(line, columns || 80, 'left')))
    .join('\n');
}

// Names and messages of others may hold what a terminal obeys: it is shown instead. Tabs and ends of lines stay.
const controls = /[^\t\n\P{Cc}]/gu;
