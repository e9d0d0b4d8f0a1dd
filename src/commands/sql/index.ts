export { cancel } from './cancel.ts';
export { engines } from './engines.ts';
export { explain } from './explain.ts';
export { itself } from './itself.ts';
export { queries } from './queries.ts';
export { report } from './report.ts';
