// Live names that many commands complete.
import { datasources } from '../contract/datasources.ts';
import type { Completer } from './command.ts';

/** The datasources that are served. */
export const datasourceNames: Completer = async ({ call }) =>
  (await call(datasources.list)).flatMap((name) => (typeof name === 'string' ? [name] : []));
