export { check } from './check.ts';
export { doctor } from './doctor.ts';
export { duties } from './duties.ts';
export { health } from './health.ts';
export { leader } from './leader.ts';
export { properties } from './properties.ts';
export { readiness } from './readiness.ts';
export { routes } from './routes.ts';
export { clusterStatus as status } from './status.ts';
