export { brokers } from './brokers.ts';
export { coordinator } from './coordinator.ts';
export { overlord } from './overlord.ts';
export { synced } from './synced.ts';
