// Tasks in the order of a tree: the workers of a task follow it.
import type { TaskStatus } from '../../contract/tasks.ts';

type Member = Pick<TaskStatus, 'groupId' | 'id'>;

/**
 * The tasks with the members of a group below the task that gives the group its name, and the depth
 * of each. Groups without that task stay in their order.
 */
export function familiesIn<T extends Member>(
  listed: readonly T[],
): { readonly tasks: readonly T[]; readonly depths: ReadonlyMap<string, number> } {
  const ids = new Set(listed.map(({ id }) => id));
  const children = new Map<string, T[]>();
  const isChild = ({ id, groupId }: T) => groupId !== id && ids.has(groupId);
  for (const task of listed) {
    if (!isChild(task)) continue;
    const known = children.get(task.groupId);
    if (known) known.push(task);
    else children.set(task.groupId, [task]);
  }
  const tasks: T[] = [];
  const depths = new Map<string, number>();
  // Two tasks that name each other as their group are listed once each.
  const place = (task: T, depth: number) => {
    if (depths.has(task.id)) return;
    tasks.push(task);
    depths.set(task.id, depth);
    for (const child of children.get(task.id) ?? []) place(child, depth + 1);
  };
  for (const task of listed) if (!isChild(task)) place(task, 0);
  for (const task of listed) place(task, 0);
  return { tasks, depths };
}
