// Java globs (java.nio.file.FileSystem.getPathMatcher) as RE2 patterns.

/**
 * A pattern that matches a whole text if the glob does. Throws an Error that names the fault in the
 * glob.
 */
export function globPattern(glob: string): string {
  if (glob.length > maxLength) throw new Error(`it has more than [${maxLength}] characters`);
  let pattern = '';
  let isGroup = false;
  for (let at = 0; at < glob.length; at++) {
    const sign = glob.charAt(at);
    switch (sign) {
      case '*':
        if (glob[at + 1] !== '*') pattern += '[^/]*';
        else {
          pattern += '(?s:.*)';
          at++;
        }
        break;
      case '?':
        pattern += '[^/]';
        break;
      case '[': {
        const end = glob.indexOf(']', at + 1);
        if (end < 0) throw new Error('it has a [ without a ]');
        pattern += setOf(glob.slice(at + 1, end));
        at = end;
        break;
      }
      case '{':
        if (isGroup) throw new Error('it has a { within another one');
        isGroup = true;
        pattern += '(?:';
        break;
      case '}':
        pattern += isGroup ? ')' : '\\}';
        isGroup = false;
        break;
      case ',':
        pattern += isGroup ? '|' : ',';
        break;
      case '\\':
        at++;
        if (at === glob.length) throw new Error('it ends with a \\ that has no character after it');
        pattern += literal(glob.charAt(at));
        break;
      default:
        pattern += literal(sign);
    }
  }
  if (isGroup) throw new Error('it has a { without a }');
  return pattern;
}

const maxLength = 1000;

const literal = (sign: string) => (/[!-.:-@[-^`{-~]/.test(sign) ? `\\${sign}` : sign);

// Sets never match a slash, not even negated ones.
function setOf(inside: string): string {
  const isNegative = inside.startsWith('!');
  const signs = isNegative ? inside.slice(1) : inside;
  if (signs === '' || signs.includes('/'))
    throw new Error(`the set [${inside}] is empty, or has a slash`);
  let pattern = '';
  for (let at = 0; at < signs.length; at++) {
    const isRange = signs[at + 1] === '-' && at + 2 < signs.length;
    const [first, last] = [signs.charAt(at), signs.charAt(at + 2)];
    if (isRange && first > last)
      throw new Error(`the range [${first}-${last}] is in descending order`);
    pattern += isRange ? rangeOf(first, last) : literal(first);
    if (isRange) at += 2;
  }
  return isNegative ? `[^/${pattern}]` : `[${pattern}]`;
}

function rangeOf(first: string, last: string): string {
  if (first < '/' && last > '/') return `${rangeOf(first, '.')}${rangeOf('0', last)}`;
  return `${literal(first)}-${literal(last)}`;
}
