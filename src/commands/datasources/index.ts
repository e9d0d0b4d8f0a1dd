export { get } from './get.ts';
export { list } from './list.ts';
