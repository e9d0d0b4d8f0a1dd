export { cancel } from './cancel.ts';
export { candidates } from './candidates.ts';
export { run } from './run.ts';
