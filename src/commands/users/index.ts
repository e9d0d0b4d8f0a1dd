export { cache } from './cache.ts';
export { create } from './create.ts';
export { remove as 'delete' } from './delete.ts';
export { get } from './get.ts';
export { grant } from './grant.ts';
export { list } from './list.ts';
export { password } from './password.ts';
export { refresh } from './refresh.ts';
export { revoke } from './revoke.ts';
