// Names of groups are compared as a directory compares them, and patterns of mappings match their
// ends.
import { expect, test } from 'vitest';
import { parseDn, parseGroupPattern } from '../../../src/server/security/dn.ts';
import { escapeFilterValue, filterFor } from '../../../src/server/security/filter-text.ts';

test.each([
  ['CN=Readers,OU=Groups,DC=example', 'cn=readers , ou = groups;dc=EXAMPLE'],
  [String.raw`cn=Müller\, Söhne,dc=x`, String.raw`CN=M\c3\bcller\2c  S\C3\B6hne,DC=x`],
  [String.raw`cn=Müller\, Söhne,dc=x`, 'cn="Müller, Söhne",dc=x'],
  ['cn=a+ou=b,dc=x', 'OU=B + CN=A,DC=X'],
  [String.raw`cn=\20a\20,dc=x`, String.raw`cn=\ a\ ,dc=x`],
  ['2.5.4.3=#0401FF,dc=x', '2.5.4.3=#0401ff,dc=x'],
  ['cn=,dc=x', 'cn= ,dc=x'],
  ['cn=e\u0301,dc=x', 'cn=\u00e9,dc=x'],
])('%s and %s are one name', (one, other) => {
  expect(parseDn(one)).toBeDefined();
  expect(parseDn(other)).toEqual(parseDn(one));
});

test.each([
  [String.raw`cn=a\,dc=x`, 'cn=a,dc=x'],
  [String.raw`cn=a\+ou=b,dc=x`, 'cn=a+ou=b,dc=x'],
  ['cn=a,dc=x', 'dc=x,cn=a'],
  [String.raw`cn=a\\,dc=x`, String.raw`cn=a\,dc=x`],
  ['cn=#0401ff,dc=x', String.raw`cn=\#0401ff,dc=x`],
])('%s and %s are two names', (one, other) => {
  expect(parseDn(one)).toBeDefined();
  expect(parseDn(other)).toBeDefined();
  expect(parseDn(other)).not.toEqual(parseDn(one));
});

test.each([
  '',
  'readers',
  'cn',
  '=x',
  'cn=a,',
  ',cn=a',
  'cn=a,,dc=x',
  'c n=a',
  'cn=a\\',
  'cn=a\\zz',
  'cn="a',
  'cn="a"b',
  'cn=#4',
  'cn=#zz',
  '*',
  'cn=a+,dc=x',
])('%j is not a name', (text) => expect(parseDn(text)).toBeUndefined());

test.each([
  ['cn=a,ou=b,dc=x', ['cn=a,ou=b,dc=x']],
  ['*,ou=b,dc=x', ['cn=a,ou=b,dc=x', 'cn=c,ou=d,ou=b,dc=x', 'ou=b,dc=x']],
  ['CN=A,*', ['cn=a,ou=b,dc=x', 'cn=a,dc=y', 'cn=a']],
  ['cn=a,ou=b,*', ['cn=a,ou=b,dc=x']],
  [String.raw`cn=a\,*`, [String.raw`cn=a\,*`]],
  ['cn=*,dc=x', ['cn=*,dc=x']], // an asterisk elsewhere is one
])('pattern %s matches %j and nothing else', (text, matching) => {
  const groups = [
    'cn=a,ou=b,dc=x',
    'cn=c,ou=d,ou=b,dc=x',
    'ou=b,dc=x',
    'cn=a,dc=y',
    'cn=a',
    'cn=ab,dc=x',
    'ou=bb,dc=x',
    'cn=*,dc=x',
    String.raw`cn=a\,*`,
  ];
  const matches = parseGroupPattern(text);
  expect(groups.filter((group) => matches?.(parseDn(group) ?? []))).toEqual(matching);
});

test.each(['*', '*,', ',*', '*,*', '*,cn', 'readers', 'cn=a,**', ''])(
  '%j is not a pattern',
  (text) => expect(parseGroupPattern(text)).toBeUndefined(),
);

test('a long name is read in linear time', () => {
  const beginMs = performance.now();
  parseDn(`cn=${'\\\\ '.repeat(100_000)},dc=x`);
  parseGroupPattern(`cn=${'\\'.repeat(200_000)},*`);
  expect(performance.now() - beginMs).toBeLessThan(1000);
});

test('a name can mean nothing but itself in a filter', () => {
  expect(escapeFilterValue('a*(b)\\c\0é')).toBe(String.raw`a\2a\28b\29\5cc\00é`);
  expect(filterFor('(|(uid=%s)(mail=%s))', '$&%s)')).toBe(
    String.raw`(|(uid=$&%s\29)(mail=$&%s\29))`,
  );
});
