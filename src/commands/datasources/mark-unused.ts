import { drop } from './drop.ts';

/** What `drop` does, under the name that stands beside `mark-used`. */
export const markUnused: typeof drop = {
  ...drop,
  summary: 'Take all segments of a datasource out of use: the same as drop',
  examples: ['svcctl datasources mark-unused wikipedia --dry-run'],
};
