export { segment } from './segment.ts';
export { supervisor } from './supervisor.ts';
export { task } from './task.ts';
