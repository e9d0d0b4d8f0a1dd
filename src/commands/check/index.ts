export { loadstatus } from './loadstatus.ts';
export { segments } from './segments.ts';
export { supervisors } from './supervisors.ts';
export { tasks } from './tasks.ts';
