export { drain } from './drain.ts';
export { enable } from './enable.ts';
export { get } from './get.ts';
export { list } from './list.ts';
export { loadqueue } from './loadqueue.ts';
export { nodes } from './nodes.ts';
export { segments } from './segments.ts';
export { tiers } from './tiers.ts';
