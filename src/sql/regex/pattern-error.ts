// Refusals of patterns.

/**
 * A text that is not a valid pattern, or a pattern that needs more than linear time. The message
 * is that of Java: below the reason, it shows the pattern and the place. `at` counts characters
 * from 0.
 */
export class PatternError extends Error {
  constructor(reason: string, at: number, characters: readonly string[]) {
    const shown =
      characters.length <= longestShown
        ? characters.join('')
        : `${characters.slice(0, longestShown).join('')}...`;
    const mark = at < Math.min(characters.length, longestShown) ? `\n${' '.repeat(at)}^` : '';
    super(`${reason} near index ${at}\n${shown}${mark}`);
  }
}

const longestShown = 200;
