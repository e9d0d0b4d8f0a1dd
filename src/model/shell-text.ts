// Quoting for shell commands with names from any source: nothing in them is executed.
import { codeOf, isVisible } from './visible-text.ts';

/**
 * A word in the form that a POSIX shell reads back, on one line, quoted if necessary. Letters of
 * all languages stay unchanged. Control characters, line breaks and tabs use the escapes of bash,
 * zsh and ksh. Shell words cannot hold NUL, and dropping it would change the word, so it becomes
 * U+FFFD.
 */
export function quoteWord(word: string): string {
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
 * Template tag for a command line: values are quoted, a list becomes several words. If an argument
 * begins with a hyphen, all arguments go to the end, after `--`.
 */
export function commandLine(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string {
  const words = values.map((value) => (typeof value === 'object' ? value : [String(value)]));
  const quoted = words.map((some) => some.map(quoteWord).join(' '));
  const withOptions = texts.findIndex((text) => / -/.test(text));
  // The number of arguments; the values after them belong to options
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
