// Lines for a shell, with names that may come from anyone: nothing in them is obeyed.
import { codeOf, isVisible } from './visible-text.ts';

/**
 * A word as a POSIX shell reads it back, in one line, quoted where it has to be: letters of all
 * languages stay as they are. What a terminal would obey, ends of lines and tabs are written as
 * bash, zsh and ksh know it. No word of a shell holds NUL, and without it the word would be
 * another: U+FFFD stands for it.
 */
export function quotedWord(word: string): string {
  if (/^[\p{L}\p{M}\p{N}_@%+:,./-][\p{L}\p{M}\p{N}_@%+:,./=-]*$/u.test(word)) return word;
  if (isVisible(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const coded = Array.from(word, (letter) =>
    letter === '\0'
      ? '\ufffd'
      : isVisible(letter)
        ? letter.replace(/['\\]/, '\\$&')
        : codeOf(letter),
  );
  return `$'${coded.join('')}'`;
}

/**
 * Tags the template of a command line: what is put in is quoted, a list as many words. Where an
 * argument begins with a hyphen, all of them stand at the end, behind `--`.
 */
export function commandLine(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string {
  const words = values.map((value) => (typeof value === 'object' ? value : [String(value)]));
  const quoted = words.map((some) => some.map(quotedWord).join(' '));
  const withOptions = texts.findIndex((text) => / -/.test(text));
  // Of arguments; what comes behind belongs to options
  const count = withOptions < 0 ? values.length : withOptions;
  if (!words.slice(0, count).some((some) => some.some((word) => word.startsWith('-'))))
    return String.raw({ raw: texts }, ...quoted);
  const [verb = '', last = ''] = [texts[0], texts[count]];
  const end = withOptions < 0 ? last.length : last.search(/ -/);
  const args = String.raw(
    { raw: ['', ...texts.slice(1, count), last.slice(0, end)] },
    ...quoted.slice(0, count),
  );
  const options = String.raw(
    { raw: [last.slice(end), ...texts.slice(count + 1)] },
    ...quoted.slice(count),
  );
  return `${verb.trimEnd()}${options} -- ${args}`.trimStart();
}
