import { expect, test } from 'vitest';
import { familiesIn } from '../../../src/commands/tasks/families.ts';

test('tasks that name each other as their group are listed once', () => {
  const { tasks, depths } = familiesIn([
    { id: 'a', groupId: 'b' },
    { id: 'b', groupId: 'a' },
    { id: 'c', groupId: 'missing' },
  ]);
  expect(tasks.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
  expect(depths.get('c')).toBe(0);
});
