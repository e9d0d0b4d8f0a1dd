export { apply } from './apply.ts';
export { contents } from './contents.ts';
export { remove as 'delete' } from './delete.ts';
export { get } from './get.ts';
export { list } from './list.ts';
export { nodes } from './nodes.ts';
export { set } from './set.ts';
export { status } from './status.ts';
