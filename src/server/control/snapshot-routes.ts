// Endpoints of the control interface for snapshots of the data.
import { required, text } from '../../contract/schema.ts';
import { type ControlRoute, fieldsIn } from './route.ts';
import type { Snapshots } from './snapshots.ts';

/** Routes that take, list, restore and delete snapshots. */
export const snapshotRoutes = (snapshots: Snapshots): ControlRoute[] => [
  {
    method: 'GET',
    path: '/snapshots',
    does: 'List the snapshots',
    run: () => ({ snapshots: snapshots.list() }),
  },
  {
    method: 'POST',
    path: '/snapshots',
    does: 'Store all data as a snapshot {"name": "before"}',
    run: ({ body }) => snapshots.take(fieldsIn(fields, body).name),
  },
  {
    method: 'POST',
    path: '/snapshots/:name/restore',
    does: 'Restore all data; running tasks end',
    run: ({ name }) => snapshots.restore(name),
  },
  {
    method: 'DELETE',
    path: '/snapshots/:name',
    does: 'Delete a snapshot',
    run: async ({ name }) => ({ snapshots: await snapshots.delete(name) }),
  },
];

const fields = {
  name: required(text, 'Name of the snapshot: letters, digits, dots, hyphens and underscores'),
};
