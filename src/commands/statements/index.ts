export { cancel } from './cancel.ts';
export { list } from './list.ts';
export { results } from './results.ts';
export { status } from './status.ts';
export { submit } from './submit.ts';
export { wait } from './wait.ts';
