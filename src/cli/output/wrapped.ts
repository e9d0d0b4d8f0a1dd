// Sentences in lines that are broken between words.

/** The text in lines of at most so many letters, where its words allow it. */
export function wrapped(text: string, width: number): string {
  return text
    .split('\n')
    .map((paragraph) => {
      let line = '';
      const lines: string[] = [];
      for (const word of paragraph.split(' ')) {
        if (line && line.length + 1 + word.length > width) {
          lines.push(line);
          line = word;
        } else line = line ? `${line} ${word}` : word;
      }
      return [...lines, line].join('\n');
    })
    .join('\n');
}

/** A sentence to people as it stands on their terminal. A command is left whole, so that it can be copied: the terminal breaks it. */
export function sentenceOn({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }, sentence: string): string {
  if (!isTTY || sentence.length <= (columns || 80)) return sentence;
  return sentence
    .split('\n')
    .map((line) => (/^(hint|next|wait again|stop it): /.test(line) ? line : wrapped(line, columns || 80)))
    .join('\n');
}
