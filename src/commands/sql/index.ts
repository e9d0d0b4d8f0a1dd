export { cancel } from './cancel.ts';
export { explain } from './explain.ts';
export { itself } from './itself.ts';
