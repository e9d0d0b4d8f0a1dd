export { candidates } from './candidates.ts';
export { get } from './get.ts';
export { kill } from './kill.ts';
export { list } from './list.ts';
export { markUnused } from './mark-unused.ts';
export { markUsed } from './mark-used.ts';
export { missing } from './missing.ts';
export { timeline } from './timeline.ts';
