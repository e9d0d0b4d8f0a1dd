import { drop } from './drop.ts';

/** An alias of `drop`, the counterpart of `mark-used`. */
export const markUnused: typeof drop = {
  ...drop,
  summary: 'Mark all segments of a datasource as unused (same as drop)',
  examples: ['svcctl datasources mark-unused wikipedia --dry-run'],
};
