// Line wrapping of sentences between words.
import { withoutStackTrace } from '../../model/stack-trace.ts';
import { visibleText } from '../../model/visible-text.ts';
import { beginningOf, cellsOf } from './width.ts';

/**
 * The text in lines of at most `width` cells. A word longer than a line is broken, too, or left to
 * the terminal, which breaks it but copies it whole.
 */
export const wrap = (text: string, width: number, overlong: 'broken' | 'left' = 'broken'): string =>
  text
    .split('\n')
    .map((line) => (cellsOf(line) <= width ? line : fill(line, Math.max(1, width), overlong)))
    .join('\n');

function fill(text: string, width: number, overlong: 'broken' | 'left'): string {
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
    // A word that needs several lines anyway starts on the current line if there is room.
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
    if (used > width) used = ((used - 1) % width) + 1; // the terminal wraps the line
    isBegun = true;
  }
  return [...lines, line].join('\n');
}

/**
 * A message as shown on the user's terminal, its first word painted. Continuation lines are
 * indented, so that a line break in a name or a reply cannot start a new message. Commands are not
 * wrapped, so that they can be copied. Stack traces of the service are left out.
 */
export function sentenceOn(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  sentence: string,
  painted: (line: string) => string = (line) => line,
): string {
  const [first = '', ...others] = visibleText(withoutStackTrace(sentence)).split('\n');
  const isAdvice = /^(hint|next|wait again|read on|stop it): .*\bsvcctl\b/.test(first);
  const wrapLine = (line: string) => (isTTY ? wrap(line, columns || 80, 'left') : line);
  return [
    painted(isAdvice ? apart(wrapLine(joined(first))) : wrapLine(first)),
    ...others.map((line) => wrapLine(/^\S/.test(line) ? `  ${line}` : line)),
  ].join('\n');
}

// A command ends at a semicolon, and before the verb of the sentence about it: `svcctl tasks list
// shows known tasks`.
const command =
  /\bsvcctl(?: (?!(?:shows?|lists?|explains?|creates?|finds?|names?|redoes|restores?|runs|starts?|stores|suggests|takes|tells|turns|uses|waits|writes) \w)(?:'[^']*'|"[^"]*"|[^ ;])+)*/g;

// Words are kept together by a sign of Unicode's private use area, as wide as a space.
const joint = '\uE000';
const joined = (line: string) => line.replace(command, (words) => words.replaceAll(' ', joint));
const apart = (text: string) => text.replaceAll(joint, ' ');

/** Several messages, one below the other. */
export const sentencesOn = (
  stream: Parameters<typeof sentenceOn>[0],
  sentences: readonly (string | undefined)[],
  painted?: (line: string) => string,
): string =>
  sentences
    .flatMap((sentence) =>
      sentence === undefined ? [] : [`${sentenceOn(stream, sentence, painted)}\n`],
    )
    .join('');
