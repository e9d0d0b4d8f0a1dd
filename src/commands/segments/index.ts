export { list } from './list.ts';
