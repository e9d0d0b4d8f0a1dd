import { drop } from './drop.ts';

/** What `drop` does, under the name that stands beside `mark-used`. */
export const markUnused: typeof drop = {
  ...drop,
  summary: 'Mark all segments of a datasource as unused (same as drop)',
  examples: ['svcctl datasources mark-unused wikipedia --dry-run'],
};
