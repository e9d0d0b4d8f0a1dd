export { grant } from './grant.ts';
export { list } from './list.ts';
export { revoke } from './revoke.ts';
export { set } from './set.ts';
