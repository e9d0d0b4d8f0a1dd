import { required, text } from '../../contract/schema.ts';
import { type ControlRoute, fieldsIn } from './route.ts';
import type { Snapshots } from './snapshots.ts';

/** Routes that take, list, restore and delete snapshots. */
export const snapshotRoutes = (snapshots: Snapshots): ControlRoute[] => [
  {
    method: 'GET',
    path: '/snapshots',
    does: 'The snapshots that there are',
    run: () => ({ snapshots: snapshots.list() }),
  },
  {
    method: 'POST',
    path: '/snapshots',
    does: 'Keep all data as they are now {"name": "before"}',
    run: ({ body }) => snapshots.take(fieldsIn(fields, body).name),
  },
  {
    method: 'POST',
    path: '/snapshots/:name/restore',
    does: 'Put all data back; tasks that run are ended',
    run: ({ name }) => snapshots.restore(name),
  },
  {
    method: 'DELETE',
    path: '/snapshots/:name',
    does: 'Forget a snapshot',
    run: async ({ name }) => ({ snapshots: await snapshots.delete(name) }),
  },
];

const fields = {
  name: required(text, 'What it is called: letters, digits, dots, hyphens and underscores'),
};
