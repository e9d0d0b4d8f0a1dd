import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headerTextOf, textOfHeader } from '../../src/model/header-text.ts';

test.each(['plain', 'Größe', '€ 5', '日本', 'a 😀'])('%s arrives as it was sent', (text) => {
  expect(headerTextOf(text)).toMatch(/^[\0-\xff]*$/);
  expect(textOfHeader(headerTextOf(text))).toBe(text);
});

test('UTF-8 of others is read, and so is Latin-1', () => {
  expect(textOfHeader(Buffer.from('Größe').toString('latin1'))).toBe('Größe');
  expect(textOfHeader('Größe')).toBe('Größe');
});

test('every text beyond Latin-1 survives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const isLatin = /^[\0-\xff]*$/.test(text);
      if (!isLatin) expect(textOfHeader(headerTextOf(text))).toBe(text);
    }),
  );
});
