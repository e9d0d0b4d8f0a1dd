// Java's regular expressions (java.util.regex.Pattern) in RE2's syntax. RE2 matches in time linear
// in the text, so look-around and back references are refused, and the size of the compiled program
// is limited.
import {
  areDisjoint,
  type CharacterSet,
  complementOf,
  emptySet,
  intersectionOf,
  isEmpty,
  setOf,
  setSize,
  setText,
  unionOf,
  withAsciiCases,
} from './character-set.ts';
import { anyCharacter, lineEnds, lineFeed, propertySet, shorthand } from './java-classes.ts';
import { PatternError } from './pattern-error.ts';

/** The longest pattern in characters. */
export const longestPattern = 10_000;
/** The approximate number of instructions that a pattern may compile to. */
export const largestProgram = 20_000;
/**
 * The highest count of a repetition, and of the product of nested repetitions (RE2's own limit).
 */
export const mostRepetitions = 1000;
const deepestNesting = 200;
const mostResolved = 4;

export interface JavaPattern {
  /** The pattern for RE2, without a `$` at its very end; `endsAtLine` is true if there was one. */
  readonly body: string;
  readonly endsAtLine: boolean;
  /** Replaces that `$`: matches nothing or one line terminator. */
  readonly lineEnd: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  /** Groups that participate in every match. */
  readonly certain: ReadonlySet<number>;
  /** Groups that are never empty when they participate. */
  readonly filled: ReadonlySet<number>;
  readonly matchesEmpty: boolean;
  /** The approximate number of instructions of its program. */
  readonly size: number;
}

/**
 * Parses a pattern. `consumesLineEnds` decides how a `$` that is not last in the pattern treats a
 * line terminator at the text's end. If true, it matches before the terminator as in Java, but
 * makes it part of the match. If false, it matches at the text's end only. Throws PatternError.
 */
export function parseJavaPattern(pattern: string, consumesLineEnds: boolean): JavaPattern {
  if (pattern.length > longestPattern)
    throw new PatternError(
      `The pattern has more than [${longestPattern}] characters`,
      longestPattern,
      [],
    );
  const reader = new Reader(pattern, consumesLineEnds);
  const { text, size, certain, matchesEmpty, endsAtLine, flags } = reader.read();
  return {
    body: text,
    endsAtLine: endsAtLine === true,
    lineEnd: lineEndText(flags),
    groups: reader.groups,
    names: reader.names,
    certain: new Set(certain),
    filled: reader.filled,
    matchesEmpty,
    size,
  };
}

interface Part {
  readonly text: string;
  readonly size: number;
  readonly repetitions: number; // product of nested counted repetitions
  readonly matchesEmpty: boolean;
  readonly certain: readonly number[];
  readonly set?: CharacterSet; // set of a single character
  readonly first?: CharacterSet; // all possible first characters, if it consumes any
  readonly keeps?: Possessive; // possessive: does not backtrack
  readonly isLineEnd?: boolean;
  readonly isFixed?: boolean; // matches in one way at most
  readonly repeats?: CharacterSet | undefined; // consumes all characters of this set
}

interface Possessive {
  readonly name: string;
  readonly at: number;
  readonly set: CharacterSet | undefined; // the repeated set
}

interface Whole extends Part {
  readonly endsAtLine?: boolean;
  readonly flags: Flags;
}

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly x: boolean;
  readonly d: boolean;
  readonly u: boolean;
  readonly U: boolean;
}

const noFlags: Flags = { i: false, m: false, s: false, x: false, d: false, u: false, U: false };

const lineEndText = ({ d }: Flags) =>
  d ? '\\n?' : '(?:\\r\\n|[\\n\\r\\x{85}\\x{2028}\\x{2029}])?';

const assertion = (text: string): Part => ({
  text,
  size: 1,
  repetitions: 1,
  matchesEmpty: true,
  certain: [],
  isFixed: true,
});

class Reader {
  groups = 0;
  readonly names = new Map<string, number>();
  readonly filled = new Set<number>();
  readonly #characters: readonly string[];
  readonly #consumesLineEnds: boolean;
  #at = 0;
  #depth = 0;
  #flags = noFlags;

  constructor(pattern: string, consumesLineEnds: boolean) {
    this.#characters = [...pattern];
    this.#consumesLineEnds = consumesLineEnds;
  }

  read(): Whole {
    const whole = this.#alternatives(true);
    if (this.#at < this.#characters.length)
      throw this.#error("Unmatched closing ')'", Math.max(0, this.#at - 1));
    this.#checkKept(whole, undefined);
    return { ...whole, flags: this.#flags };
  }

  #error(reason: string, at = this.#at): PatternError {
    return new PatternError(reason, at, this.#characters);
  }

  // The next character; an empty text at the end.
  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  #take(): string {
    const character = this.#peek();
    if (character === '') throw this.#error('Unexpected end of the pattern');
    this.#at++;
    return character;
  }

  #skip(text: string): boolean {
    if (![...text].every((character, index) => this.#peek(index) === character)) return false;
    this.#at += text.length;
    return true;
  }

  #skipComments(): void {
    while (this.#flags.x && this.#at < this.#characters.length) {
      if (/[ \t\n\v\f\r]/.test(this.#peek())) this.#at++;
      else if (this.#peek() === '#')
        while (
          this.#at < this.#characters.length &&
          !'\n\r\u0085\u2028\u2029'.includes(this.#peek())
        )
          this.#at++;
      else return;
    }
  }

  #alternatives(isTop: boolean): Part & { readonly endsAtLine?: boolean } {
    const first = this.#sequence(isTop);
    if (this.#peek() !== '|') return first;
    const parts: Part[] = [first];
    if (first.endsAtLine) parts[0] = sequenceOf([first, this.#lineEnd()]);
    while (this.#skip('|')) parts.push(this.#sequence(false));
    for (const part of parts) this.#checkKept(part, undefined);
    const sets = parts.map(({ first: begin }) => begin);
    return this.#checkSize({
      text: parts.map(({ text }) => text).join('|'),
      size: parts.reduce((sum, { size }) => sum + size + 1, 0),
      repetitions: Math.max(...parts.map(({ repetitions }) => repetitions)),
      matchesEmpty: parts.some(({ matchesEmpty }) => matchesEmpty),
      certain: parts
        .map(({ certain }) => certain)
        .reduce((common, groups) => common.filter((group) => groups.includes(group))),
      ...(sets.every((set) => set !== undefined) && { first: sets.reduce(unionOf) }),
    });
  }

  #sequence(isTop: boolean): Part & { readonly endsAtLine?: boolean } {
    const parts: Part[] = [];
    while (this.#hasNext()) {
      const part = this.#readQuantified();
      if (part) parts.push(part);
    }
    const isLast = isTop && this.#peek() === '';
    const last = parts.at(-1);
    for (const [index, part] of parts.slice(0, -1).entries())
      this.#checkKept(part, parts[index + 1]);
    if (isLast && last?.isLineEnd) {
      const { keeps: _, ...before } = sequenceOf(parts.slice(0, -1));
      return { ...before, endsAtLine: true };
    }
    // The part after the group decides about the group's last part.
    const { keeps: _, ...whole } = sequenceOf(parts);
    return this.#checkSize({
      ...whole,
      ...(last?.keeps && !(isLast && last.keeps.set) && { keeps: last.keeps }),
    });
  }

  // Whether the sequence continues, after skipping comments and quotation marks.
  #hasNext(): boolean {
    for (;;) {
      if (this.#quotationEnd !== undefined) {
        if (this.#at < this.#quotationEnd) return true;
        this.#endQuotation();
      } else if (this.#skip('\\Q')) this.#quotationEnd = this.#findQuotationEnd();
      else {
        this.#skipComments();
        const next = this.#peek();
        if (next === '\\' && this.#peek(1) === 'Q') continue;
        return next !== '' && next !== '|' && next !== ')';
      }
    }
  }

  // A possessive part equals a greedy one if the part after it cannot match the characters that the
  // greedy one would give back.
  #checkKept({ keeps }: Part, next: Part | undefined): void {
    if (!keeps) return;
    if (next && keeps.set) {
      if (
        next.isLineEnd
          ? areDisjoint(keeps.set, lineEnds)
          : next.first && !next.matchesEmpty && areDisjoint(keeps.set, next.first)
      )
        return;
    }
    throw this.#unsupported(`${keeps.name} before what it could take itself`, keeps.at);
  }

  #readQuantified(): Part | undefined {
    const at = this.#at;
    const atom = this.#quotationEnd === undefined ? this.#atom() : this.#literal(this.#take(), at);
    if (!atom) return undefined;
    if (this.#quotationEnd !== undefined) {
      if (this.#at < this.#quotationEnd) return atom;
      this.#endQuotation();
    }
    this.#skipComments();
    const sign = this.#peek();
    const count = sign === '{' ? this.#count() : undefined;
    if (count === undefined) {
      if (sign !== '*' && sign !== '+' && sign !== '?') return atom;
      this.#at++;
    }
    if (atom.keeps) throw this.#unsupported(`${atom.keeps.name} that is repeated`, atom.keeps.at);
    const [least, most] = count ?? [sign === '+' ? 1 : 0, sign === '?' ? 1 : undefined];
    const isLazy = this.#skip('?');
    const isPossessive = !isLazy && this.#skip('+');
    const highest = most ?? least;
    const repetitions = atom.repetitions * (count ? Math.max(highest, 1) : 1);
    if (repetitions > mostRepetitions)
      throw this.#error(
        `Repetitions of more than [${mostRepetitions}] in all are not supported`,
        at,
      );
    return this.#checkSize({
      text: `${atom.text}${countText(least, most)}${isLazy ? '?' : ''}`,
      size: (atom.size + 1) * Math.max(highest, 1) + (most === undefined ? atom.size : 0),
      repetitions,
      matchesEmpty: least === 0 || atom.matchesEmpty,
      certain: least === 0 ? [] : atom.certain,
      ...(atom.first && { first: atom.first }),
      ...(!isLazy && { repeats: atom.set }),
      ...(isPossessive && {
        keeps: {
          name: `A possessive quantifier [${sign === '{' ? '}' : sign}+]`,
          at: this.#at - 1,
          set: atom.set,
        },
      }),
    });
  }

  // `{n}`, `{n,}` or `{n,m}`.
  #count(): readonly [number, number | undefined] {
    const at = this.#at;
    const number = () => {
      let digits = '';
      while (/^[0-9]$/.test(this.#peek())) digits += this.#take();
      return digits === '' ? undefined : Number(digits);
    };
    this.#take();
    const least = number();
    if (least === undefined) throw this.#error('Illegal repetition', at);
    const hasComma = this.#skip(',');
    const most = hasComma ? number() : least;
    if (!this.#skip('}')) throw this.#error('Unclosed counted closure');
    if (most !== undefined && most < least) throw this.#error('Illegal repetition range', at);
    if (Math.max(least, most ?? 0) > mostRepetitions)
      throw this.#error(`A repetition of more than [${mostRepetitions}] is not supported`, at);
    return [least, most];
  }

  // Undefined for syntax that only changes flags.
  #atom(): Part | undefined {
    const at = this.#at;
    const character = this.#take();
    switch (character) {
      case '(':
        return this.#group(at);
      case '[':
        return this.#characterOf(this.#class(at));
      case '\\':
        return this.#escape(at);
      case '.':
        return this.#characterOf(
          this.#flags.s ? anyCharacter : complementOf(this.#flags.d ? lineFeed : lineEnds),
          false,
        );
      case '^':
        return assertion(this.#flags.m ? '(?m:^)' : '\\A');
      case '$':
        return this.#flags.m ? assertion('(?m:$)') : this.#lineEnd();
      case '*':
      case '+':
      case '?':
        throw this.#error(`Dangling meta character '${character}'`, at);
      case '{':
        throw this.#error('Illegal repetition', at);
      default:
        return this.#literal(character, at);
    }
  }

  #lineEnd(): Part {
    const text = this.#consumesLineEnds ? `(?:${lineEndText(this.#flags)}\\z)` : '\\z';
    return { ...assertion(text), size: 8, isLineEnd: true };
  }

  #literal(character: string, at: number): Part {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff)
      throw this.#error('An unpaired surrogate is not supported', at);
    return this.#characterOf(setOf([[code, code]]));
  }

  #characterOf(given: CharacterSet, hasCase = true): Part {
    const { i, u } = this.#flags;
    const set = hasCase && i ? withAsciiCases(given) : given;
    const isFolded = hasCase && i && u;
    return {
      text: isFolded ? `(?i:${setText(given)})` : setText(set),
      size: setSize(set),
      repetitions: 1,
      matchesEmpty: false,
      certain: [],
      isFixed: true,
      ...(!isFolded && { set, first: set }),
    };
  }

  // Undefined for a change of flags, which holds up to the end of the enclosing group.
  #group(at: number): Part | undefined {
    if (++this.#depth > deepestNesting)
      throw this.#error(`Groups are nested more than [${deepestNesting}] deep`, at);
    const flags = this.#flags;
    const part = this.#groupOf(at);
    if (part) this.#flags = flags;
    this.#depth--;
    return part;
  }

  #groupOf(at: number): Part | undefined {
    if (!this.#skip('?')) return this.#readCapture(at, undefined);
    if (this.#skip(':')) return enclose('(?:', this.#inside());
    if (this.#skip('>')) return this.#atomic(at);
    if (this.#skip('=')) throw this.#unsupported('A look-ahead [(?=]', at);
    if (this.#skip('!')) throw this.#unsupported('A negative look-ahead [(?!]', at);
    if (this.#skip('<=')) throw this.#unsupported('A look-behind [(?<=]', at);
    if (this.#skip('<!')) throw this.#unsupported('A negative look-behind [(?<!]', at);
    if (this.#skip('<')) return this.#readCapture(at, this.#name('>'));
    this.#readFlags();
    if (this.#skip(')')) return undefined;
    if (!this.#skip(':')) throw this.#error('Unknown inline modifier');
    return enclose('(?:', this.#inside());
  }

  #unsupported(what: string, at: number): PatternError {
    return this.#error(
      `${what} is not supported, because patterns are matched in linear time (RE2),`,
      at,
    );
  }

  #inside(): Part {
    const part = this.#alternatives(false);
    if (!this.#skip(')')) throw this.#error('Unclosed group');
    return part;
  }

  #readCapture(at: number, name: string | undefined): Part {
    const group = ++this.groups;
    if (name !== undefined) {
      if (this.names.has(name))
        throw this.#error(`Named capturing group <${name}> is already defined`, at);
      this.names.set(name, group);
    }
    const part = this.#inside();
    if (!part.matchesEmpty) this.filled.add(group);
    return { ...enclose('(', part), size: part.size + 2, certain: [...part.certain, group] };
  }

  #atomic(at: number): Part {
    const part = this.#inside();
    if (part.isFixed) return enclose('(?:', part);
    return {
      ...enclose('(?:', part),
      keeps: { name: 'An atomic group [(?>]', at, set: part.repeats },
    };
  }

  #name(end: string): string {
    const start = this.#at;
    while (/^[a-zA-Z0-9]$/.test(this.#peek())) this.#at++;
    const name = this.#characters.slice(start, this.#at).join('');
    if (!/^[a-zA-Z]/.test(name))
      throw this.#error('A capturing group name does not start with a Latin letter', start);
    if (!this.#skip(end)) throw this.#error(`A named capturing group is missing trailing '${end}'`);
    return name;
  }

  #readFlags(): void {
    let value = true;
    for (let letter = this.#peek(); letter !== ')' && letter !== ':'; letter = this.#peek()) {
      if (letter === '-' && value) value = false;
      else if (Object.hasOwn(noFlags, letter))
        this.#flags = { ...this.#flags, [letter]: value, ...(letter === 'U' && { u: value }) };
      else throw this.#error('Unknown inline modifier');
      this.#at++;
    }
  }

  #escape(at: number): Part | undefined {
    const letter = this.#take();
    switch (letter) {
      case 'A':
        return assertion('\\A');
      case 'z':
        return assertion('\\z');
      case 'Z':
        return this.#lineEnd();
      case 'b':
        if (this.#peek() === '{')
          throw this.#unsupported('A boundary of grapheme clusters [\\b{g}]', at);
        if (this.#flags.U) throw this.#unsupported('A word boundary [\\b] with the flag [U]', at);
        return assertion('\\b');
      case 'B':
        return assertion('\\B');
      case 'G':
        throw this.#unsupported('The end of the previous match [\\G]', at);
      case 'X':
        throw this.#unsupported('A grapheme cluster [\\X]', at);
      case 'k':
        throw this.#unsupported('A back reference [\\k]', at);
      case 'R':
        return {
          ...assertion(
            `(?:\\r\\n|${setText(
              setOf([
                [10, 13],
                [0x85, 0x85],
                [0x2028, 0x2029],
              ]),
            )})`,
          ),
          size: 8,
          matchesEmpty: false,
          isFixed: false,
        };
      default:
        if (letter >= '1' && letter <= '9')
          throw this.#unsupported(`A back reference [\\${letter}]`, at);
        return this.#characterOf(this.#escapedSet(letter, at));
    }
  }

  #quotationEnd: number | undefined;

  #findQuotationEnd(): number {
    for (let end = this.#at; end < this.#characters.length; end++) {
      if (this.#characters[end] === '\\' && this.#characters[end + 1] === 'E') return end;
    }
    return this.#characters.length;
  }

  #endQuotation(): void {
    this.#at = Math.min(this.#at + 2, this.#characters.length);
    this.#quotationEnd = undefined;
  }

  // A character or a class for an escape, inside or outside a class.
  #escapedSet(letter: string, at: number): CharacterSet {
    const known = shorthand(letter, this.#flags.U);
    if (known) return known;
    if (letter === 'p' || letter === 'P') return this.#property(letter === 'P', at);
    const code = this.#escapedCode(letter, at);
    if (code >= 0xd800 && code <= 0xdfff)
      throw this.#error('An unpaired surrogate is not supported', at);
    return setOf([[code, code]]);
  }

  #escapedCode(letter: string, at: number): number {
    const simple = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
    if (simple !== undefined) return simple;
    switch (letter) {
      case 'x':
        return this.#skip('{') ? this.#hexadecimalUpTo('}', at) : this.#hexadecimal(2, at);
      case 'u':
        return this.#utf16(at);
      case 'c':
        return (this.#take().codePointAt(0) ?? 0) ^ 64;
      case '0': {
        const [digits] =
          /^[0-3]?[0-7]{1,2}/.exec(this.#characters.slice(this.#at, this.#at + 3).join('')) ?? [];
        if (digits === undefined) throw this.#error('Illegal octal escape sequence', at);
        this.#at += digits.length;
        return Number.parseInt(digits, 8);
      }
      case 'N':
        throw this.#unsupported('A character by its name [\\N]', at);
      default:
        if (/^[a-zA-Z]$/.test(letter))
          throw this.#error('Illegal/unsupported escape sequence', at + 1);
        return letter.codePointAt(0) ?? 0;
    }
  }

  #hexadecimal(length: number, at: number): number {
    const digits = this.#characters.slice(this.#at, this.#at + length).join('');
    if (digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits))
      throw this.#error('Illegal hexadecimal escape sequence', at);
    this.#at += length;
    return Number.parseInt(digits, 16);
  }

  #hexadecimalUpTo(end: string, at: number): number {
    const size = this.#characters.slice(this.#at, this.#at + 9).indexOf(end);
    const code = size > 0 ? this.#hexadecimal(size, at) : Number.NaN;
    if (!(code <= 0x10ffff)) throw this.#error('Illegal hexadecimal escape sequence', at);
    this.#at++;
    return code;
  }

  // Two units may be the halves of one character.
  #utf16(at: number): number {
    const high = this.#hexadecimal(4, at);
    if (high < 0xd800 || high > 0xdbff || this.#peek() !== '\\' || this.#peek(1) !== 'u')
      return high;
    this.#at += 2;
    const low = this.#hexadecimal(4, at);
    if (low < 0xdc00 || low > 0xdfff)
      throw this.#error('An unpaired surrogate is not supported', at);
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  }

  #property(isNegative: boolean, at: number): CharacterSet {
    let name = this.#take();
    if (name === '{') {
      const end = this.#characters.indexOf('}', this.#at);
      if (end === -1) throw this.#error('Unclosed character family', at);
      name = this.#characters.slice(this.#at, end).join('');
      this.#at = end + 1;
    }
    const set = propertySet(name, this.#flags.U);
    if (!set) throw this.#error(`Character property [${name}] is not supported`, at);
    return isNegative ? complementOf(set) : set;
  }

  // `[...]` after its bracket: a union of characters; `&&` intersects several unions.
  #class(at: number): CharacterSet {
    if (++this.#depth > deepestNesting)
      throw this.#error(`Classes are nested more than [${deepestNesting}] deep`, at);
    const isNegative = this.#skip('^');
    let result: CharacterSet | undefined;
    let part = emptySet;
    let isFirst = true;
    for (;;) {
      this.#skipComments();
      if (this.#peek() === '')
        throw this.#error('Unclosed character class', this.#characters.length - 1);
      if (!isFirst && this.#skip(']')) break;
      if (this.#skip('&&')) {
        while (this.#peek() === '&') this.#at++;
        result = result && !isEmpty(part) ? this.#intersection(result, part, at) : (result ?? part);
        part = emptySet;
      } else {
        const item = this.#classItem();
        part =
          !isEmpty(part) && (part.isNegated || item.isNegated)
            ? this.#union(part, item, at)
            : unionOf(part, item);
        if (setSize(part) > largestProgram) throw this.#error('The pattern is too large', at);
      }
      isFirst = false;
    }
    this.#depth--;
    if (result) part = isEmpty(part) ? result : this.#intersection(result, part, at);
    if (!isNegative) return part;
    return complementOf(this.#flags.i ? withAsciiCases(part) : part);
  }

  // Characters of a property are searched one by one, which takes some milliseconds.
  #resolved = 0;

  #countResolved(sets: readonly CharacterSet[], at: number): void {
    this.#resolved += sets.reduce((sum, { categories }) => sum + categories.length, 0);
    if (this.#resolved > mostResolved)
      throw this.#error(
        `Classes with more than [${mostResolved}] properties cannot be intersected`,
        at,
      );
  }

  #intersection(a: CharacterSet, b: CharacterSet, at: number): CharacterSet {
    this.#countResolved([a, b], at);
    return intersectionOf(a, b);
  }

  #union(a: CharacterSet, b: CharacterSet, at: number): CharacterSet {
    this.#countResolved([a, b], at);
    return unionOf(a, b);
  }

  #classItem(): CharacterSet {
    const at = this.#at;
    const character = this.#take();
    if (character === '[') return this.#class(at);
    if (character === '\\' && this.#skip('Q')) {
      const quoted = this.#characters.slice(this.#at, this.#findQuotationEnd());
      this.#at = Math.min(this.#at + quoted.length + 2, this.#characters.length);
      return setOf(quoted.map((item) => [item.codePointAt(0) ?? 0, item.codePointAt(0) ?? 0]));
    }
    const first =
      character === '\\'
        ? this.#escapedSet(this.#take(), at)
        : setOf([[character.codePointAt(0) ?? 0, character.codePointAt(0) ?? 0]]);
    const [single] = first.ranges;
    const isSingle =
      first.categories.length === 0 &&
      first.ranges.length === 1 &&
      single &&
      single[0] === single[1];
    if (!isSingle || this.#peek() !== '-' || ['', ']', '['].includes(this.#peek(1))) return first;
    this.#at++;
    const end = this.#take();
    const last =
      end === '\\'
        ? this.#escapedSet(this.#take(), at)
        : setOf([[end.codePointAt(0) ?? 0, end.codePointAt(0) ?? 0]]);
    const [other] = last.ranges;
    if (
      !other ||
      last.categories.length > 0 ||
      last.ranges.length > 1 ||
      other[0] !== other[1] ||
      other[0] < single[0]
    )
      throw this.#error('Illegal character range', this.#at - 1);
    return setOf([[single[0], other[0]]]);
  }

  #checkSize<P extends Part>(part: P): P {
    if (part.size > largestProgram)
      throw this.#error(`The pattern is too large: it needs more than [${largestProgram}] steps`);
    return part;
  }
}

const simpleEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, a: 7, e: 27 };

function countText(least: number, most: number | undefined): string {
  if (most === undefined) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most}}`;
}

const enclose = (
  open: '(' | '(?:',
  { text, size, repetitions, matchesEmpty, certain, set, first, isFixed, keeps, repeats }: Part,
): Part => ({
  text: `${open}${text})`,
  size,
  repetitions,
  matchesEmpty,
  certain,
  ...(set && { set }),
  ...(first && { first }),
  ...(isFixed && { isFixed }),
  ...(keeps && { keeps }),
  ...(repeats && { repeats }),
});

function sequenceOf(parts: readonly Part[]): Part {
  const [first, ...more] = parts;
  if (first && more.length === 0) {
    const { isLineEnd: _, ...part } = first;
    return part;
  }
  const start = parts.find(({ matchesEmpty }) => !matchesEmpty);
  // An optional part before it starts with other characters.
  const isPlainStart = start !== undefined && parts.indexOf(start) === 0;
  return {
    text: parts.map(({ text }) => text).join(''),
    size: parts.reduce((sum, { size }) => sum + size, 0),
    repetitions: Math.max(1, ...parts.map(({ repetitions }) => repetitions)),
    matchesEmpty: parts.every(({ matchesEmpty }) => matchesEmpty),
    certain: parts.flatMap(({ certain }) => certain),
    ...(isPlainStart && start.first && { first: start.first }),
    ...(parts.every(({ isFixed }) => isFixed) && { isFixed: true }),
  };
}
