// Places that users share.
import { expect, test } from 'vitest';
import { Admission } from '../../../src/server/engine/admission.ts';

const { signal } = new AbortController();

/** Asks for `count` places; lists who got one, in order, and gives back what they hold. */
function asking(admission: Admission) {
  const got: string[] = [];
  const leave: (() => void)[] = [];
  const ask = async (user: string) => {
    const left = await admission.enter(signal, user);
    got.push(user);
    leave.push(left);
  };
  return { got, ask, leaveOldest: () => leave.shift()?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one user gets three quarters of the places, and others need not wait', async () => {
  const { got, ask } = asking(new Admission(8, 10));
  for (let at = 0; at < 9; at++) void ask('many');
  await settled();
  expect(got).toEqual(Array(6).fill('many'));
  for (const user of ['a', 'b']) await ask(user);
  expect(got.slice(6)).toEqual(['a', 'b']);
});

test('the user who has fewest places is next', async () => {
  const { got, ask, leaveOldest } = asking(new Admission(4, 10));
  for (const user of ['many', 'many', 'other', 'other', 'many', 'many', 'few']) void ask(user);
  await settled();
  leaveOldest();
  await settled();
  expect(got).toEqual(['many', 'many', 'other', 'other', 'few']);
  leaveOldest();
  await settled();
  expect(got.at(-1)).toBe('many');
});

test('users take turns at a single place', async () => {
  const { got, ask, leaveOldest } = asking(new Admission(1, 10));
  for (const user of ['many', 'many', 'many', 'many', 'few', 'other']) void ask(user);
  for (let at = 0; at < 6; at++) {
    await settled();
    leaveOldest();
  }
  expect(got).toEqual(['many', 'many', 'few', 'other', 'many', 'many']);
});

test('as many as there are places may run and wait when none may wait beyond, all of one user, too', async () => {
  const { ask } = asking(new Admission(4, 0));
  for (let at = 0; at < 4; at++) void ask('one');
  await expect(ask('one')).rejects.toMatchObject({ category: 'capacityExceeded' });
  await ask('another');
});
