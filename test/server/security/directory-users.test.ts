// Caching of directory results: duration, number of requests, waiting callers.
import { expect, test, vi } from 'vitest';
import type { Verdict } from '../../../src/server/security/authenticators.ts';
import { BackOff } from '../../../src/server/security/back-off.ts';
import { DirectoryUsers } from '../../../src/server/security/directory-users.ts';
import { DirectoryFailure } from '../../../src/server/security/ldap.ts';
import { awaySeconds } from '../../../src/server/security/refusals.ts';

function usersOf(
  answer: (name: string, password: string) => Exclude<Verdict, 'unavailable'>,
  cache = { users: 2, idleMs: 600_000, longestMs: 3_600_000 },
) {
  let nowMs = 1000;
  const asked: string[] = [];
  const users = new DirectoryUsers(
    async (name, password) => {
      asked.push(`${name}:${password}`);
      return answer(name, password);
    },
    { cache, groupFilters: undefined },
    new BackOff(() => nowMs),
    () => nowMs,
  );
  const ask = (who: string, { ip = '10.0.0.1', isLast = true } = {}) => {
    const [name = '', password = ''] = who.split(':');
    return users.validate({ name, password, ip }, isLast);
  };
  return {
    ask,
    asked,
    forget: () => users.forget(),
    pass: (seconds: number) => (nowMs += seconds * 1000),
  };
}

const own = (name: string, password: string): Exclude<Verdict, 'unavailable'> =>
  name === 'nobody' ? 'unknown' : password === `${name}1` ? { groups: [] } : 'wrong';
const yes = { groups: [] };

test('a yes counts while it is used, until it is too old', async () => {
  const { ask, asked, pass } = usersOf(own);
  for (let minutes = 0; minutes < 60; minutes += 9) {
    expect(await ask('ann:ann1')).toEqual(yes);
    pass(540);
  }
  expect(asked).toHaveLength(1);
  pass(0);
  await ask('ann:ann1'); // 63 minutes after the first
  expect(asked).toHaveLength(2);
  pass(601);
  await ask('ann:ann1');
  expect(asked).toHaveLength(3);
});

test('of too many users the one who was used longest ago goes', async () => {
  const { ask, asked } = usersOf(own);
  for (const who of ['ann:ann1', 'bob:bob1', 'ann:ann1', 'eve:eve1', 'ann:ann1', 'bob:bob1'])
    await ask(who);
  expect(asked).toEqual(['ann:ann1', 'bob:bob1', 'eve:eve1', 'bob:bob1']);
});

test('without a size or a time nothing is remembered', async () => {
  for (const cache of [
    { users: 0, idleMs: 1000, longestMs: 1000 },
    { users: 9, idleMs: 0, longestMs: 1000 },
    { users: 9, idleMs: 1000, longestMs: 0 },
  ]) {
    const { ask, asked } = usersOf(own, cache);
    await ask('ann:ann1');
    await ask('ann:ann1');
    expect(asked).toHaveLength(2);
  }
});

test('a no counts for ten seconds, and the same one is one wrong attempt however long it goes on', async () => {
  const { ask, asked, pass } = usersOf(own);
  for (let at = 0; at < 50; at++) {
    expect([await ask('ann:old'), await ask('nobody:x')]).toEqual(['wrong', 'unknown']);
    pass(5);
  }
  expect(asked).toHaveLength(50);
  expect(await ask('ann:ann1')).toEqual(yes); // the address need not wait
});

test('eleven wrong ones make the address wait: the cache does not help it to guess, and who was there stays', async () => {
  const { ask, asked } = usersOf(own);
  await ask('ann:ann1');
  await ask('bob:bob1', { ip: '10.0.0.2' });
  for (let at = 0; at < 11; at++) await ask(`eve:${at}`);
  await expect(ask('eve:eve1')).rejects.toThrow('Too many passwords');
  await expect(ask('bob:bob1')).rejects.toThrow('Too many passwords'); // remembered, but of another address
  expect(await ask('ann:ann1')).toEqual(yes);
  expect(await ask('eve:eve1', { ip: '10.0.0.3' })).toEqual(yes);
  expect(asked).toHaveLength(14);
});

test('unknown names count where nobody else is asked for them', async () => {
  const last = usersOf(() => 'unknown');
  for (let at = 0; at < 11; at++) await last.ask(`user${at}:x`);
  await expect(last.ask('another:x')).rejects.toThrow('Too many passwords');
  const first = usersOf(() => 'unknown');
  for (let at = 0; at < 50; at++)
    expect(await first.ask(`user${at}:x`, { isLast: false })).toBe('unknown');
});

test.each([
  ':x',
  'ann:',
  ':',
  'ann:\0',
  'ann:\0ann1',
  `ann:${'x'.repeat(1025)}`,
  `${'x'.repeat(1025)}:x`,
])('%j is not asked for', async (who) => {
  const { ask, asked } = usersOf(() => yes);
  expect([await ask(who), asked]).toEqual(['unknown', []]);
});

test('callers with the same credentials wait for one answer', async () => {
  const { ask, asked } = usersOf(own);
  expect(await Promise.all(Array.from({ length: 100 }, () => ask('ann:ann1')))).toEqual(
    Array(100).fill(yes),
  );
  expect(asked).toHaveLength(1);
});

test('a directory that is away is asked again after a while, and what it said before counts meanwhile', async () => {
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  let isAway = false;
  const { ask, asked, pass } = usersOf((name, password) => {
    if (isAway) throw new DirectoryFailure('It is away');
    return own(name, password);
  });
  await ask('ann:ann1');
  isAway = true;
  expect([
    await ask('bob:bob1'),
    await ask('bob:wrong'),
    await ask('ann:wrong'),
    await ask('ann:ann1'),
  ]).toEqual(['unavailable', 'unavailable', 'unavailable', yes]);
  expect(asked).toHaveLength(2);
  expect(spy.mock.calls.map(([text]) => text)).toEqual(['It is away\n']);
  isAway = false;
  pass(awaySeconds);
  expect(await ask('bob:bob1')).toEqual(yes);
  spy.mockRestore();
});

test('what is forgotten is asked again, also when the answer was under way', async () => {
  const { ask, asked, forget } = usersOf(own);
  await ask('ann:ann1');
  const underWay = ask('bob:bob1');
  forget();
  expect(await underWay).toEqual(yes);
  await ask('ann:ann1');
  await ask('bob:bob1');
  expect(asked).toEqual(['ann:ann1', 'bob:bob1', 'ann:ann1', 'bob:bob1']);
});
