import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatJson, parseJson } from '../../src/model/json.ts';
import { parseLargeJson, TooDeep } from '../../src/model/json-slices.ts';

// Texts that look like what parseJson puts into the text on its way, and digits where they are only
// text.
const trickyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\x7f',
    '\x7f12345678901234567',
    '12345678901234567',
    '":12345678901234567,',
    '\\',
    '\\"',
    '\u0080',
    '__proto__',
  ),
);
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(asRead),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    trickyText,
    integer,
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((double) => asRead(JSON.parse(JSON.stringify(double)))),
    fc.constantFrom(null, true, false),
    fc.array(tie('value')),
    fc.dictionary(trickyText, tie('value'), { noNullPrototype: true }),
  ),
}));

// What an integer becomes: a number where a double holds it exactly and nobody can confuse it with
// a neighbour.
function asRead(number: number | bigint): number | bigint {
  if (typeof number === 'number') {
    const isLong = /^-?\d{16,}$/.test(String(number));
    return isLong && !Number.isSafeInteger(number) ? BigInt(String(number)) : number;
  }
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}

test('what is written is read again, down to the last digit', () => {
  fc.assert(
    fc.property(value, fc.constantFrom('', '  '), (document, indent) => {
      const text = formatJson(document, indent);
      expect(formatJson(parseJson(text), indent)).toBe(text);
      expect(parseJson(text)).toEqual(document);
    }),
    { numRuns: 2000 },
  );
});

test('escapes change nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(trickyText, integer)), (list) => {
      const escaped = formatJson(list).replace(
        /[\x7f-\uffff]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      expect(parseJson(escaped)).toEqual(list);
    }),
    { numRuns: 2000 },
  );
});

test('without long integers it reads as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      if (/\d{16}/.test(text)) return;
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('what is not JSON is refused', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(
          '1',
          '2345678901234567',
          '"',
          '\\',
          '[',
          ']',
          ',',
          '-',
          '.',
          'e',
          '{',
          ':',
          '}',
        ),
      }),
      (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) parseJson(text);
        else expect(() => parseJson(text)).toThrow(SyntaxError);
      },
    ),
    { numRuns: 5000 },
  );
});

const slicing = {
  deepest: 100,
  mostValues: 1_000_000,
  pause: async () => undefined,
  pieceLength: 8,
};
const settled = async (read: () => unknown) => {
  try {
    return { value: await read() };
  } catch (error) {
    return { error: error instanceof SyntaxError };
  }
};

test('a text read in slices means what it means at once, and is refused when it would be', async () => {
  const broken = fc.tuple(
    fc.nat(),
    fc.constantFrom('', ',', '"', '[', ']', '{', '}', ':', '1', ' '),
  );
  await fc.assert(
    fc.asyncProperty(
      value,
      fc.constantFrom('', '  '),
      fc.option(broken),
      async (document, indent, damage) => {
        const whole = formatJson(document, indent);
        const at = damage ? damage[0] % (whole.length + 1) : 0;
        const text = damage ? whole.slice(0, at) + damage[1] + whole.slice(at + 1) : whole;
        expect(await settled(() => parseLargeJson(text, slicing))).toEqual(
          await settled(() => parseJson(text)),
        );
      },
    ),
    { numRuns: 3000 },
  );
});

test('a text that is too deep is not read in slices', async () => {
  await expect(parseLargeJson(`${'['.repeat(101)}${']'.repeat(101)}`, slicing)).rejects.toThrow(
    TooDeep,
  );
});
