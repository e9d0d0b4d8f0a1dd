export { cancel } from './cancel.ts';
export { disable } from './disable.ts';
export { drain } from './drain.ts';
export { enable } from './enable.ts';
export { list } from './list.ts';
export { log } from './log.ts';
export { scaling } from './scaling.ts';
export { tasks } from './tasks.ts';
