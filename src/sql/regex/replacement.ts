// Replacements in Java's syntax (Matcher.appendReplacement): `$1`, `${name}`, and a backslash that
// escapes the next character.
import type { JavaPattern } from './java-pattern.ts';

/** Texts and group numbers. */
export type Replacement = readonly (string | number)[];

/**
 * Parses a replacement for a pattern. Throws RangeError for a group that the pattern does not have.
 */
export function groupsIn(
  replacement: string,
  { groups, names }: Pick<JavaPattern, 'groups' | 'names'>,
): Replacement {
  const parts: (string | number)[] = [];
  let text = '';
  const addGroup = (group: number) => {
    if (text !== '') parts.push(text);
    text = '';
    parts.push(group);
  };
  for (let at = 0; at < replacement.length; at++) {
    const character = replacement.charAt(at);
    if (character === '\\') {
      if (++at === replacement.length) throw new RangeError('character to be escaped is missing');
      text += replacement.charAt(at);
    } else if (character !== '$') text += character;
    else if (replacement.charAt(at + 1) === '{') {
      const end = replacement.indexOf('}', at);
      const name = replacement.slice(at + 2, end === -1 ? undefined : end);
      if (end === -1) throw new RangeError("named capturing group is missing trailing '}'");
      const group = names.get(name);
      if (group === undefined) throw new RangeError(`No group with name {${name}}`);
      addGroup(group);
      at = end;
    } else {
      const digit = (place: number) => /^[0-9]$/.test(replacement.charAt(place));
      if (!digit(at + 1)) throw new RangeError('Illegal group reference: group index is missing');
      let group = Number(replacement.charAt(++at));
      if (group > groups) throw new RangeError(`No group ${group}`);
      // Reads digits as long as they form an existing group.
      while (digit(at + 1) && group * 10 + Number(replacement.charAt(at + 1)) <= groups)
        group = group * 10 + Number(replacement.charAt(++at));
      addGroup(group);
    }
  }
  if (text !== '') parts.push(text);
  return parts;
}
