// Endpoints that are asked by POST, because what they are asked does not fit into a path: they
// change nothing.
import { compaction } from '../../src/contract/compaction.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { metadata } from '../../src/contract/metadata.ts';
import { native } from '../../src/contract/native.ts';
import { sql } from '../../src/contract/sql.ts';
import { tasks } from '../../src/contract/tasks.ts';

const asks: ReadonlySet<Endpoint> = new Set<Endpoint>([
  compaction.simulate,
  compaction.simulateSupervised,
  metadata.bootstrapSegments,
  metadata.schemas,
  metadata.segmentsIn,
  native.candidates,
  native.query,
  sql.query, // what INSERT and REPLACE start is a task, which says so itself
  tasks.activeLocks,
  tasks.lockedIntervals,
  tasks.sample,
  tasks.statuses,
]);

export const changesSomething = (endpoint: Endpoint): boolean =>
  endpoint.method !== 'GET' && !asks.has(endpoint);
