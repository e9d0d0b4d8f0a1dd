import type { Completer } from '../../../cli/command/command.ts';
import { required, text } from '../../../contract/schema.ts';
import { tasks } from '../../../contract/tasks.ts';

export const taskId = { taskId: required(text, 'Task id') };

export const hints = { notFound: 'svcctl tasks list shows known tasks' };

export const taskIds: Completer = async ({ call }) => (await call(tasks.list)).map(({ id }) => id);

export const completers = { taskId: taskIds };
