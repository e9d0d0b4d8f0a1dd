export { create } from './create.ts';
export { remove as 'delete' } from './delete.ts';
export { get } from './get.ts';
export { list } from './list.ts';
