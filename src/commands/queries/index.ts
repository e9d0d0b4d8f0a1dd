export { kill } from './kill.ts';
export { list } from './list.ts';
