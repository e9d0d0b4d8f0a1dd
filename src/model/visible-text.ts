// Text with control characters in visible form: `\u001b`, as in JSON. A JSON document stays
// equivalent.

/**
 * The text with control characters made visible: controls, bidirectional controls and line
 * separators. Line breaks and tabs stay.
 */
export const visibleText = (text: string): string =>
  control.test(text) ? text.replace(everyControl, escapeLetter) : text;

/** The same for a text within a line: line breaks and tabs are made visible, too. */
export const visibleLine = (text: string): string =>
  controlInLine.test(text) ? text.replace(everyControlInLine, escapeLetter) : text;

/** Whether a text is one line without control characters. */
export const isVisible = (text: string): boolean => !controlInLine.test(text);

/** `\u` and four hexadecimal digits for each UTF-16 unit of the text. */
export const codeOf = (letter: string): string =>
  Array.from(
    { length: letter.length },
    (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

const escapeLetter = (letter: string) => shortCodes[letter] ?? codeOf(letter);

const shortCodes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// U+206A to U+206F are older controls of the same kind; U+FFF9 to U+FFFB hide an annotation.
const otherControls = '\\p{Bidi_Control}\\u2028\\u2029\\u206a-\\u206f\\ufff9-\\ufffb';
const control = new RegExp(`[^\\t\\n\\P{Cc}]|[${otherControls}]`, 'u');
const everyControl = new RegExp(control, 'gu');
const controlInLine = new RegExp(`[\\p{Cc}${otherControls}]`, 'u');
const everyControlInLine = new RegExp(controlInLine, 'gu');
